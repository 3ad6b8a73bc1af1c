//! The `Module` attribute of a `module-info` class.

use crate::bytes::{Put, Reader};
use crate::constant::{Index, kind};
use crate::constant_pool::ConstantPool;
use crate::error::{Overflow, ParseError};

/// A module's declaration.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs)] // Named as in the specification.
pub struct Module {
    pub name: Index<kind::Module>,
    pub flags: u16,
    pub version: Option<Index<kind::Utf8>>,
    pub requires: Vec<Requires>,
    pub exports: Vec<Exports>,
    pub opens: Vec<Exports>,
    pub uses: Vec<Index<kind::Class>>,
    pub provides: Vec<Provides>,
}

/// A module that is needed.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub struct Requires {
    pub module: Index<kind::Module>,
    pub flags: u16,
    pub version: Option<Index<kind::Utf8>>,
}

/// A package that is exported or opened, to some modules or (if none are named) to all.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub struct Exports {
    pub package: Index<kind::Package>,
    pub flags: u16,
    pub to: Vec<Index<kind::Module>>,
}

/// A service with its implementations.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub struct Provides {
    pub service: Index<kind::Class>,
    pub with: Vec<Index<kind::Class>>,
}

impl Module {
    pub(crate) fn parse(r: &mut Reader<'_>, constants: &ConstantPool<'_>) -> Result<Self, ParseError> {
        let exports = |r: &mut Reader<'_>| {
            Ok(Exports { package: constants.read(r)?, flags: r.u2()?, to: r.table(2, |r| constants.read(r))? })
        };
        Ok(Module {
            name: constants.read(r)?,
            flags: r.u2()?,
            version: constants.read_optional(r)?,
            requires: r.table(6, |r| {
                Ok(Requires { module: constants.read(r)?, flags: r.u2()?, version: constants.read_optional(r)? })
            })?,
            exports: r.table(6, exports)?,
            opens: r.table(6, exports)?,
            uses: r.table(2, |r| constants.read(r))?,
            provides: r
                .table(4, |r| Ok(Provides { service: constants.read(r)?, with: r.table(2, |r| constants.read(r))? }))?,
        })
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) -> Result<(), Overflow> {
        out.u2(self.name.raw());
        out.u2(self.flags);
        out.u2(self.version.map_or(0, Index::raw));
        out.table("required modules", &self.requires, |out, requires| {
            out.u2(requires.module.raw());
            out.u2(requires.flags);
            out.u2(requires.version.map_or(0, Index::raw));
        })?;
        for exports in [&self.exports, &self.opens] {
            out.count("exports", exports.len())?;
            for export in exports {
                out.u2(export.package.raw());
                out.u2(export.flags);
                out.table("modules", &export.to, |out, module| out.u2(module.raw()))?;
            }
        }
        out.table("used services", &self.uses, |out, service| out.u2(service.raw()))?;
        out.count("provided services", self.provides.len())?;
        for provides in &self.provides {
            out.u2(provides.service.raw());
            out.table("implementations", &provides.with, |out, class| out.u2(class.raw()))?;
        }
        Ok(())
    }
}
