/**
 * An error that only the operator can correct: a setting, a folder, a permission. Its message states the correction. It is printed
 * as one line, without a stack.
 */
export class ConfigError extends Error {}
