//! What the errors of redb mean for the user.

use std::io::ErrorKind;
use std::path::Path;

use redb::Error;

use super::StorageError;

pub(super) fn explain(path: &Path, error: Error) -> StorageError {
    let reason = match error {
        Error::Corrupted(reason) => reason,
        Error::Io(error) if error.kind() == ErrorKind::InvalidData => {
            "it is no redb database".to_owned()
        }
        Error::Io(error) if error.kind() == ErrorKind::UnexpectedEof => {
            "its end is missing".to_owned()
        }
        Error::UpgradeRequired(version) => format!("it has the old format {version} of redb"),
        Error::RepairAborted => "a write broke off in it, and the repair failed".to_owned(),
        Error::TableDoesNotExist(_)
        | Error::TableTypeMismatch { .. }
        | Error::TableIsMultimap(_)
        | Error::TypeDefinitionChanged { .. } => "it is the database of another program".to_owned(),
        Error::LockProtocolMismatch => {
            return failed(path, "another version of keyhost has it open; end that one");
        }
        other => return failed(path, other),
    };
    StorageError::Damaged {
        path: path.to_owned(),
        reason,
    }
}

pub(super) fn failed(path: &Path, reason: impl ToString) -> StorageError {
    StorageError::Failed {
        place: path.display().to_string(),
        reason: reason.to_string(),
    }
}
