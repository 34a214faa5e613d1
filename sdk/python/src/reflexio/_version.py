"""The version of the SDK, also sent as part of the user agent."""

__version__ = "0.1.0"
