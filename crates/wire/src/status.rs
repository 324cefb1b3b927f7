//! The HTTP status of each error code (SPEC 3): one table, read by the server to answer and by the client to compare.

use worldspace_model::ErrorCode;

/// The status that belongs to a code. Several codes share one, so a status never says which code it was.
pub fn status_of(code: ErrorCode) -> u16 {
    match code {
        ErrorCode::InvalidRequest => 400,
        ErrorCode::PermissionDenied => 403,
        ErrorCode::NotFound | ErrorCode::InterfaceNotFound | ErrorCode::OperationNotFound => 404,
        ErrorCode::InterfaceMismatch => 409,
        ErrorCode::ValidatorMismatch | ErrorCode::InterfaceValidatorMismatch => 412,
        ErrorCode::InvalidArguments | ErrorCode::ResourceLimitExceeded => 422,
        ErrorCode::ValidatorRequired | ErrorCode::InterfaceValidatorRequired => 428,
        ErrorCode::Internal | ErrorCode::OperationOutcomeUnknown => 500,
    }
}
