export type Env = Readonly<Record<string, string | undefined>>;

/**
 * Typed readers of environment variables. An invalid or missing value is recorded as an error
 * instead of thrown, so that all errors are found at once.
 */
export type EnvReader = {
  /** Treats a blank variable as absent. Without a fallback the variable is required. */
  text: (name: string, fallback?: string) => string;
  optional: (name: string) => string | undefined;
  oneOf: <T extends string>(name: string, allowed: readonly T[], fallback: T) => T;
  integer: (name: string, limits: { min: number; max: number; fallback: number }) => number;
  port: (name: string, fallback: number) => number;
  url: (name: string, schemes: readonly string[]) => string | undefined;
  list: (name: string) => string[];
  addError: (text: string) => void;
};

export class ConfigError extends Error {
  readonly errors: readonly string[];

  constructor(subject: string, errors: readonly string[]) {
    const list = errors.map((error) => `  - ${error}`).join('\n');
    super(`${subject} cannot start: its environment has ${errors.length} error(s):\n${list}`);
    this.name = 'ConfigError';
    this.errors = errors;
  }
}

/**
 * Returns the configuration, frozen at the top level. If there are errors, throws one ConfigError
 * that lists all of them.
 */
export const readEnv = <T extends object>(
  subject: string,
  env: Env,
  build: (read: EnvReader) => T,
): Readonly<T> => {
  const errors: string[] = [];
  const config = build(createReader(env, (text) => errors.push(text)));
  if (errors.length > 0) throw new ConfigError(subject, errors);
  return Object.freeze(config);
};

const createReader = (env: Env, addError: (text: string) => void): EnvReader => {
  const optional = (name: string): string | undefined => env[name]?.trim() || undefined;
  const integer: EnvReader['integer'] = (name, { min, max, fallback }) => {
    const value = optional(name);
    if (value === undefined) return fallback;
    if (/^\d+$/.test(value) && Number(value) >= min && Number(value) <= max) return Number(value);
    addError(`${name} must be a whole number from ${min} to ${max}, not ${JSON.stringify(value)}`);
    return fallback;
  };
  return {
    optional,
    integer,
    addError,
    text: (name, fallback) => {
      const value = optional(name) ?? fallback;
      if (value === undefined) addError(`${name} is required`);
      return value ?? '';
    },
    oneOf: (name, allowed, fallback) => {
      const value = optional(name) ?? fallback;
      const allowedValue = allowed.find((entry) => entry === value);
      if (!allowedValue) {
        addError(`${name} must be one of ${allowed.join(', ')}, not ${JSON.stringify(value)}`);
      }
      return allowedValue ?? fallback;
    },
    port: (name, fallback) => integer(name, { min: 0, max: 65_535, fallback }),
    url: (name, schemes) => {
      const value = optional(name);
      if (value === undefined) return undefined;
      if (URL.canParse(value) && schemes.includes(new URL(value).protocol)) return value;
      addError(`${name} must be an absolute URL starting with ${schemes.join(' or ')}`);
      return undefined;
    },
    list: (name) =>
      (optional(name) ?? '')
        .split(',')
        .map((entry) => entry.trim())
        .filter(Boolean),
  };
};
