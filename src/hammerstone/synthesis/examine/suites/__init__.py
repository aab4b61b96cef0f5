"""Cases: read out of statements and examples, frozen as a suite, and shown as a pytest file."""
