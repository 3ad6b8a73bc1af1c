//! A JDK's module image, `lib/modules`, which is mapped into memory.
//!
//! To find a class takes two look-ups in the image's hash table: `/packages/java.util` tells the modules
//! that have the package, and `/java.base/java/util/Vector.class` is the class. All modules of the image
//! are visible, whatever they export. Of images that `jlink` compressed, those made with zip are read.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use jimage_rs::JImage;

use crate::image_tables::{Content, Damage, Location, Tables, is_compressed};
use crate::{ClassName, Error, MAX_CLASS_SIZE};

/// A module image on the class path.
#[derive(Debug)]
pub(crate) struct Image {
    path: PathBuf,
    mapped: JImage,
}

/// A class in an image: its bytes and its module.
type Found<'a> = (Cow<'a, [u8]>, &'a str);

impl Image {
    /// Opens an image whose magic number has been seen.
    pub fn open(path: &Path) -> Result<Image, Error> {
        let mapped = JImage::open(path).map_err(|error| Error::unreadable(path, error.to_string()))?;
        let image = Image { path: path.to_path_buf(), mapped };
        image.tables()?;
        Ok(image)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// `module-info` is not found: each module has one, and the name does not say which is meant.
    pub fn find(&self, name: &ClassName) -> Result<Option<Found<'_>>, Error> {
        let package = name.package();
        if package.is_empty() {
            return Ok(None);
        }
        let tables = self.tables()?;
        for module in modules_of(&tables, &package).map_err(self.damaged())? {
            let resource = format!("/{module}/{}.class", name.internal());
            if let Some(location) = tables.find(&resource).map_err(self.damaged())? {
                return Ok(Some((self.read(&tables, &location, &resource)?, module)));
            }
        }
        Ok(None)
    }

    /// The declaration of a module.
    pub fn module_info(&self, module: &str) -> Result<Option<Cow<'_, [u8]>>, Error> {
        let tables = self.tables()?;
        let resource = format!("/{module}/module-info.class");
        match tables.find(&resource).map_err(self.damaged())? {
            Some(location) => self.read(&tables, &location, &resource).map(Some),
            None => Ok(None),
        }
    }

    /// Calls `found` with the internal name and the module of each class.
    pub fn for_each_class(&self, found: &mut dyn FnMut(&str, &str)) -> Result<(), Error> {
        let mut name = String::new();
        for location in self.tables()?.locations() {
            let location = location.map_err(self.damaged())?;
            let of_a_module = !matches!(location.module, "" | "modules" | "packages");
            if of_a_module && location.extension == "class" {
                name.clear();
                name.push_str(location.parent);
                if !location.parent.is_empty() {
                    name.push('/');
                }
                name.push_str(location.base);
                found(&name, location.module);
            }
        }
        Ok(())
    }

    /// The bytes of a resource, after checks of all that `jimage-rs` takes on trust.
    fn read<'a>(&'a self, tables: &Tables<'a>, location: &Location, resource: &str) -> Result<Cow<'a, [u8]>, Error> {
        let (size, plain) = match tables.content(location).map_err(self.damaged())? {
            Content::Plain(bytes) => (bytes.len() as u64, Some(bytes)),
            Content::Compressed { inflated_size } => (inflated_size, None),
        };
        if size > MAX_CLASS_SIZE {
            return Err(Error::ClassTooLarge { path: self.path.clone(), name: resource.to_owned(), size });
        }
        if let Some(bytes) = plain {
            return Ok(Cow::Borrowed(bytes));
        }
        match self.mapped.find_resource(resource) {
            Ok(Some(bytes)) if is_compressed(&bytes) => {
                Err("it is compressed twice, which is not supported".to_owned())
            }
            Ok(Some(bytes)) => Ok(bytes),
            Ok(None) => Err("it names a class that it does not hold".to_owned()),
            Err(error) => Err(error.to_string()),
        }
        .map_err(|reason| Error::unreadable(&self.path, reason))
    }

    /// Made anew at each use, for it borrows from the map beside it and costs a few comparisons.
    fn tables(&self) -> Result<Tables<'_>, Error> {
        Tables::of(self.mapped.raw().as_slice()).map_err(self.damaged())
    }

    /// Makes an error of a damage.
    fn damaged(&self) -> impl Fn(Damage) -> Error {
        |damage| Error::unreadable(&self.path, damage)
    }
}

/// The modules that hold a package. Its resource is a list of pairs: whether the module has only
/// sub-packages of it (later: flags), and where the module's name is among the strings.
fn modules_of<'a>(tables: &Tables<'a>, package: &str) -> Result<Vec<&'a str>, Damage> {
    let Some(location) = tables.find(&format!("/packages/{package}"))? else {
        return Ok(vec![]);
    };
    let Content::Plain(pairs) = tables.content(&location)? else {
        return Err("its list of packages is compressed, which is not supported");
    };
    let names = pairs.chunks_exact(8).map(|pair| tables.number(pair, 1));
    names.map(|name| tables.string(name?.into())).collect()
}
