//! A file that is read and then replaced by what was made of it.

use std::fs::{self, File, Metadata, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, fcntl_lock};
use rustix::io::Errno;
use zeroize::Zeroizing;

use super::{Access, Content, atomic, shown, whole};
use crate::stderr;

/// The mode without the file's type.
const PERMISSIONS: u32 = 0o7777;

/// The mode of what nobody but the owner reads.
const OWNER_ONLY: u32 = 0o600;

/// A file, kept locked: OpenTofu does not write it meanwhile.
pub(crate) struct Original {
    /// Where it is, whatever links lead there.
    path: PathBuf,
    file: File,
    metadata: Metadata,
}

/// A file is not what can be replaced.
#[derive(Debug, thiserror::Error)]
enum OriginalError {
    #[error("it is no regular file")]
    NoFile,
    #[error("another process has locked it: is tofu at work?")]
    Locked,
    #[error("it was changed meanwhile, and stays as it is")]
    Changed,
    #[error("its owner or group cannot be kept: {0}")]
    Owner(io::Error),
}

impl From<OriginalError> for io::Error {
    fn from(error: OriginalError) -> Self {
        Self::other(error)
    }
}

impl Original {
    /// Opens and locks a file.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let path = fs::canonicalize(path)?;
        // Opening a pipe would wait for its other end.
        if !fs::metadata(&path)?.is_file() {
            return Err(OriginalError::NoFile.into());
        }
        let file = File::open(&path)?;
        // OpenTofu takes this kind of lock, for writing.
        if let Err(Errno::AGAIN | Errno::ACCESS) =
            fcntl_lock(&file, FlockOperation::NonBlockingLockShared)
        {
            return Err(OriginalError::Locked.into());
        }
        let metadata = file.metadata()?;
        Ok(Self {
            path,
            file,
            metadata,
        })
    }

    /// Whether others than the owner may read it.
    pub(crate) fn is_readable_by_others(&self) -> bool {
        self.metadata.mode() & 0o044 != 0
    }

    /// Whether there are hard links to it besides this name.
    pub(crate) fn has_other_names(&self) -> bool {
        self.metadata.nlink() > 1
    }

    /// Reads all of it.
    pub(crate) fn read(&self) -> io::Result<Zeroizing<Vec<u8>>> {
        whole::read(&self.file, self.metadata.len())
    }

    /// Replaces it; owner and group stay.
    pub(crate) fn replace(&self, content: Content<'_>, access: Access) -> io::Result<()> {
        let mode = || match access {
            Access::OwnerOnly => Ok(OWNER_ONLY),
            Access::Kept(_) => self.mode(),
        };
        self.replace_with(content, mode).map(drop)
    }

    /// Replaces it by what is in the clear; mode, owner and group stay. Others
    /// may read it in its place alone, not under the name that it has before.
    pub(crate) fn replace_in_the_clear(&self, content: Content<'_>) -> io::Result<()> {
        let new = self.replace_with(content, || Ok(OWNER_ONLY))?;
        // It is replaced, whatever comes of this.
        let kept = self
            .mode()
            .and_then(|mode| new.set_permissions(Permissions::from_mode(mode)));
        if let Err(error) = kept {
            let name = shown(&self.path);
            stderr::warning(&format!("{name} has the mode {OWNER_ONLY:o} now: {error}"));
        }
        Ok(())
    }

    fn replace_with(
        &self,
        content: Content<'_>,
        mode: impl Fn() -> io::Result<u32>,
    ) -> io::Result<File> {
        let keep_access = |new: &File| {
            let made = new.metadata()?;
            let (uid, gid) = (self.metadata.uid(), self.metadata.gid());
            if (made.uid(), made.gid()) != (uid, gid) {
                fchown(new, Some(uid), Some(gid)).map_err(OriginalError::Owner)?;
            }
            // After the owner, whose change takes some bits away.
            new.set_permissions(Permissions::from_mode(mode()?))
        };
        atomic::replace(&self.path, content, keep_access, || self.refuse_changed())
    }

    /// The mode that it has now: somebody may just have changed it.
    fn mode(&self) -> io::Result<u32> {
        Ok(self.file.metadata()?.mode() & PERMISSIONS)
    }

    /// Not every writer locks, and some put the time of the last change back.
    fn refuse_changed(&self) -> io::Result<()> {
        let known = |metadata: &Metadata| {
            (
                metadata.dev(),
                metadata.ino(),
                metadata.len(),
                metadata.mtime(),
                metadata.mtime_nsec(),
                metadata.ctime(),
                metadata.ctime_nsec(),
            )
        };
        match fs::metadata(&self.path) {
            Ok(now) if known(&now) == known(&self.metadata) => Ok(()),
            Ok(_) => Err(OriginalError::Changed.into()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(OriginalError::Changed.into())
            }
            Err(error) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File, Permissions};
    use std::io::Write;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    use super::{Access, Original};

    const KEPT: Access = Access::Kept(0o600);

    #[test]
    fn what_was_changed_meanwhile_is_not_overwritten() {
        let directory = tempfile::tempdir().expect("directory");
        let path = directory.path().join("a");
        let other = directory.path().join("b");
        let changes: [&dyn Fn(); 6] = [
            &|| fs::write(&path, "new").expect("write"),
            &|| fs::write(&path, "longer").expect("write"),
            &|| {
                fs::write(&other, "old").expect("write");
                fs::rename(&other, &path).expect("rename");
            },
            &|| fs::remove_file(&path).expect("remove"),
            &|| {
                let times = fs::metadata(&path).and_then(|metadata| metadata.modified());
                fs::write(&path, "new").expect("write");
                let file = File::options().write(true).open(&path).expect("open");
                file.set_modified(times.expect("time")).expect("set");
            },
            &|| fs::set_permissions(&path, Permissions::from_mode(0o640)).expect("chmod"),
        ];
        for change in changes {
            fs::write(&path, "old").expect("write");
            let original = Original::open(&path).expect("open");
            assert_eq!(*original.read().expect("read"), b"old");
            // Clocks of file systems are coarse.
            std::thread::sleep(std::time::Duration::from_millis(20));
            change();
            let now = fs::read(&path).ok();
            let error = original
                .replace(&|writer: &mut dyn Write| writer.write_all(b"ours"), KEPT)
                .expect_err("changed");
            assert_eq!(
                error.to_string(),
                "it was changed meanwhile, and stays as it is"
            );
            assert_eq!(fs::read(&path).ok(), now);
        }
    }

    #[test]
    fn a_link_leads_to_what_is_replaced() {
        let directory = tempfile::tempdir().expect("directory");
        let (path, link) = (directory.path().join("a"), directory.path().join("link"));
        fs::write(&path, "old").expect("write");
        symlink("a", &link).expect("link");
        let original = Original::open(&link).expect("open");
        original
            .replace(&|writer: &mut dyn Write| writer.write_all(b"new"), KEPT)
            .expect("replaced");
        assert_eq!(fs::read(&path).expect("read"), b"new");
        assert!(fs::symlink_metadata(&link).expect("link").is_symlink());
    }

    #[test]
    fn what_is_in_the_clear_is_the_owners_until_it_is_in_its_place() {
        let directory = tempfile::tempdir().expect("directory");
        let path = directory.path().join("a");
        fs::write(&path, "old").expect("write");
        fs::set_permissions(&path, Permissions::from_mode(0o644)).expect("chmod");
        let original = Original::open(&path).expect("open");
        let new = original
            .replace_with(&|writer| writer.write_all(b"new"), || Ok(super::OWNER_ONLY))
            .expect("replaced");
        assert_eq!(new.metadata().expect("metadata").mode() & 0o777, 0o600);
        fs::set_permissions(&path, Permissions::from_mode(0o640)).expect("chmod");
        Original::open(&path)
            .and_then(|original| original.replace_in_the_clear(&|_| Ok(())))
            .expect("replaced");
        assert_eq!(fs::metadata(&path).expect("metadata").mode() & 0o777, 0o640);
    }
}
