//! Whether one session served its user.
