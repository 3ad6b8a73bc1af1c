//! The matrix of dependencies, as terminals and pictures show it.

use analysis::{ClassFacts, Pair};

/// How two methods depend on each other, in one word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cell {
    /// Not at all.
    Nothing,
    /// They conflict, and a lock keeps them apart; or they do not conflict.
    Guarded,
    /// In M_pc.
    Racy,
    /// In M_d.
    Deadlock,
    /// In both.
    Both,
}

/// All pairs, by row and column.
pub struct Matrix {
    pub size: usize,
    cells: Vec<(Cell, u32)>,
    pub highest: u32,
}

impl Matrix {
    pub fn of(facts: &ClassFacts, pairs: &[Pair]) -> Matrix {
        let size = facts.methods.len();
        let mut cells = vec![(Cell::Nothing, 0); size * size];
        let mut highest = 0;
        for pair in pairs {
            let cell = match (pair.is_pc(), pair.double_lock, pair.conflict) {
                (true, true, _) => Cell::Both,
                (true, false, _) => Cell::Racy,
                (false, true, _) => Cell::Deadlock,
                (false, false, true) => Cell::Guarded,
                (false, false, false) => Cell::Nothing,
            };
            highest = highest.max(pair.score);
            let (a, b) = pair.methods;
            cells[a * size + b] = (cell, pair.score);
            cells[b * size + a] = (cell, pair.score);
        }
        Matrix { size, cells, highest }
    }

    /// The cell, and its score from 0 to 1 of the highest.
    pub fn at(&self, row: usize, column: usize) -> (Cell, f32) {
        let (cell, score) = self.cells[row * self.size + column];
        (cell, if self.highest == 0 { 0.0 } else { score as f32 / self.highest as f32 })
    }
}
