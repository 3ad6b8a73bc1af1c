//! What calls of suffixes have returned, for the probes that use it.

use crate::calls::Given;
use crate::jni::Env;
use crate::resolve::{Operand, Ready};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Values that suffixes return and probes use, in one execution.
#[derive(Default)]
pub struct HandedOver {
    /// Which are used, by the suffix and the number of the call in it.
    wanted: Vec<(usize, usize)>,
    /// Those that are there, as global references where they are objects.
    returned: Mutex<BTreeMap<(usize, usize), Given>>,
}

impl HandedOver {
    /// None yet, for these probes.
    pub fn of(probes: &[Ready], suffixes: &[Vec<Ready>]) -> Arc<HandedOver> {
        let operands = probes.iter().flat_map(|probe| probe.arguments.iter().chain(&probe.receiver));
        let wanted = operands.filter_map(|operand| match *operand {
            Operand::Returned(suffix, call) if suffix < suffixes.len() => Some((suffix, call)),
            _ => None,
        });
        Arc::new(HandedOver { wanted: wanted.collect(), returned: Mutex::default() })
    }

    /// A suffix has ended, whose calls gave these values; fewer, if one of them threw.
    pub fn take(&self, env: Env, suffix: usize, values: &[Given]) {
        for &(of, call) in self.wanted.iter().filter(|(of, _)| *of == suffix) {
            if let Some(given) = values.get(call) {
                let known = || self.returned.lock().unwrap_or_else(PoisonError::into_inner);
                known().entry((of, call)).or_insert_with(|| given.shared(env));
            }
        }
    }

    /// The probes, with these values in them: up to the first that uses one that is not there, or is null.
    pub fn probes<'p>(&self, probes: &'p [Ready]) -> Cow<'p, [Ready]> {
        if self.wanted.is_empty() {
            return Cow::Borrowed(probes);
        }
        let returned = self.returned.lock().unwrap_or_else(PoisonError::into_inner);
        let value = |operand: &Operand| match operand {
            Operand::Returned(suffix, call) => {
                let given = returned.get(&(*suffix, *call)).filter(|given| !given.is_null())?;
                Some(Operand::Literal(given.value))
            }
            other => Some(*other),
        };
        Cow::Owned(probes.iter().map_while(|probe| probe.with_operands(&value)).collect())
    }

    /// Gives up the references.
    pub fn forget(&self, env: Env) {
        let returned = std::mem::take(&mut *self.returned.lock().unwrap_or_else(PoisonError::into_inner));
        returned.values().for_each(|given| given.forget(env));
    }
}
