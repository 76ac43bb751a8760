/** Environment variables as a process gets them. */
export type Env = Readonly<Record<string, string | undefined>>;

/** Typed, checked readers. A reader that finds a fault notes it and answers a placeholder. */
export type EnvReader = {
  /** Text; an empty variable counts as absent. Without a default it is required. */
  text: (name: string, fallback?: string) => string;
  optional: (name: string) => string | undefined;
  oneOf: <T extends string>(name: string, allowed: readonly T[], fallback: T) => T;
  /** A whole number within bounds, both inclusive. */
  integer: (name: string, limits: { min: number; max: number; fallback: number }) => number;
  /** 0 (any free port) to 65535. */
  port: (name: string, fallback: number) => number;
  /** An absolute URL of one of the schemes (given with the colon); undefined when absent. */
  url: (name: string, schemes: readonly string[]) => string | undefined;
  /** Comma-separated entries, trimmed; empty when absent. */
  list: (name: string) => string[];
  /** Notes a fault that no single reader can see. */
  fault: (text: string) => void;
};

/** A configuration that cannot be used; the message lists every fault. */
export class ConfigError extends Error {
  readonly faults: readonly string[];

  constructor(subject: string, faults: readonly string[]) {
    const list = faults.map((fault) => `  - ${fault}`).join('\n');
    super(`${subject} cannot start: its environment has ${faults.length} fault(s):\n${list}`);
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

/**
 * Builds a configuration from the environment, once, frozen. Throws ConfigError with all faults,
 * not only the first.
 */
export const readEnv = <T extends object>(
  subject: string,
  env: Env,
  build: (read: EnvReader) => T,
): Readonly<T> => {
  const faults: string[] = [];
  const config = build(createReader(env, (text) => faults.push(text)));
  if (faults.length > 0) throw new ConfigError(subject, faults);
  return Object.freeze(config);
};

const createReader = (env: Env, fault: (text: string) => void): EnvReader => {
  const optional = (name: string): string | undefined => env[name]?.trim() || undefined;
  const integer: EnvReader['integer'] = (name, { min, max, fallback }) => {
    const value = optional(name);
    if (value === undefined) return fallback;
    if (/^\d+$/.test(value) && Number(value) >= min && Number(value) <= max) return Number(value);
    fault(`${name} must be a whole number from ${min} to ${max}, not ${JSON.stringify(value)}`);
    return fallback;
  };
  return {
    optional,
    integer,
    fault,
    text: (name, fallback) => {
      const value = optional(name) ?? fallback;
      if (value === undefined) fault(`${name} is required`);
      return value ?? '';
    },
    oneOf: (name, allowed, fallback) => {
      const value = optional(name) ?? fallback;
      const known = allowed.find((entry) => entry === value);
      if (!known) {
        fault(`${name} must be one of ${allowed.join(', ')}, not ${JSON.stringify(value)}`);
      }
      return known ?? fallback;
    },
    port: (name, fallback) => integer(name, { min: 0, max: 65_535, fallback }),
    url: (name, schemes) => {
      const value = optional(name);
      if (value === undefined) return undefined;
      if (URL.canParse(value) && schemes.includes(new URL(value).protocol)) return value;
      fault(`${name} must be an absolute URL starting with ${schemes.join(' or ')}`);
      return undefined;
    },
    list: (name) =>
      (optional(name) ?? '')
        .split(',')
        .map((entry) => entry.trim())
        .filter(Boolean),
  };
};
