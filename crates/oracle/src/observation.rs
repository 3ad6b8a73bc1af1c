//! What an execution has shown: how each of its calls ended, and whether it ended itself.

/// What an execution has shown.
#[derive(Clone, PartialEq, Debug)]
pub struct Observation<V> {
    /// How the calls of the prefix ended.
    pub prefix: Vec<Ended<V>>,
    /// How those of each suffix ended: fewer than the suffix has if one threw or was cut off.
    pub suffixes: Vec<Vec<Ended<V>>>,
    /// How the probes ended.
    pub probes: Vec<Ended<V>>,
    /// The classes of exceptions that ended threads which the code under test has started.
    pub uncaught: Vec<String>,
    /// No thread could go on, and not all had ended.
    pub stuck: bool,
    /// It went on and on.
    pub endless: bool,
}

impl<V> Default for Observation<V> {
    fn default() -> Self {
        let (prefix, suffixes, probes, uncaught) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Observation { prefix, suffixes, probes, uncaught, stuck: false, endless: false }
    }
}

/// How a call ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ended<V> {
    /// It returned this.
    Returned(V),
    /// It threw an exception of this class: `java.lang.NullPointerException`.
    Threw(String),
    /// It was cut off because the execution ended.
    CutOff,
}

/// A place at which an execution can be looked at.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum Place {
    Prefix {
        call: usize,
    },
    Suffix {
        suffix: usize,
        call: usize,
    },
    Probe {
        call: usize,
    },
    /// The end of a thread that the code under test has started, by its number among those that an exception ended.
    Started {
        number: usize,
    },
}

/// What calls return, as far as it can be compared.
pub trait Given: Clone + PartialEq {
    /// What a difference between this and another would mean.
    fn kind(&self) -> Kind;

    /// Whether it is `false` or null, by which a call says that it has nothing to give. Callers look at that.
    fn is_nothing(&self) -> bool {
        false
    }
}

/// What a difference between two values means.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// Nothing: it was not read whole, or the same value may look different. It is equal to all others.
    Unknown,
    /// Something, maybe: an array, a collection, an object by its fields, a text made of several parts.
    Aggregate,
    /// That another order of calls was seen.
    Scalar,
}

impl<V> Observation<V> {
    /// Whether a probe did not return: all suffixes had ended, so nobody else can be waited for.
    pub fn is_cut_off_after(&self) -> bool {
        matches!(self.probes.last(), Some(Ended::CutOff))
    }

    /// All that calls came to, with their places.
    pub fn calls(&self) -> impl Iterator<Item = (Place, &Ended<V>)> {
        let prefix = self.prefix.iter().enumerate().map(|(call, ended)| (Place::Prefix { call }, ended));
        let suffixes = self.suffixes.iter().enumerate().flat_map(|(suffix, calls)| {
            calls.iter().enumerate().map(move |(call, ended)| (Place::Suffix { suffix, call }, ended))
        });
        let probes = self.probes.iter().enumerate().map(|(call, ended)| (Place::Probe { call }, ended));
        prefix.chain(suffixes).chain(probes)
    }

    /// The exceptions that calls of suffixes, probes and started threads ended with, by their classes.
    pub fn thrown(&self) -> impl Iterator<Item = (Place, &str)> {
        let of_calls = self.calls().filter_map(|(place, ended)| match (place, ended) {
            (Place::Prefix { .. }, _) => None,
            (_, Ended::Threw(class)) => Some((place, class.as_str())),
            _ => None,
        });
        let uncaught = self.uncaught.iter().enumerate();
        of_calls.chain(uncaught.map(|(number, class)| (Place::Started { number }, class.as_str())))
    }
}
