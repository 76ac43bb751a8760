import type { EndpointName } from '@witan/dialects';
import type { BodyAdaptation } from './adapt-body.ts';
import type { Target } from './provider.ts';

/** An entry of the providers file (WITAN_PROVIDERS_FILE). */
export type ListedProvider = {
  name: string;
  /** At least one; a client of another dialect is served in the first that is not `embeddings`. */
  dialects: readonly EndpointName[];
  /** URL to which `/chat/completions` and the paths of the other dialects are appended. */
  baseUrl: string;
  /** Undefined if calls carry no credentials. */
  apiKey: string | undefined;
  keyHeader: KeyHeader;
  /** Models that are routed to this provider by their name. */
  models: readonly { name: string; weight: number }[];
  adaptation: BodyAdaptation;
};

const DIALECTS: readonly EndpointName[] = [
  'chat-completions',
  'messages',
  'responses',
  'embeddings',
];
const KEY_HEADERS = ['authorization', 'api-key', 'x-api-key'] as const;
const OUTPUT_LIMITS = ['max_tokens', 'max_completion_tokens'] as const;

/** Header with the key; in `authorization` it is sent as a bearer token. */
export type KeyHeader = (typeof KEY_HEADERS)[number];

const PROVIDERS_MAX = 100;
const MODELS_MAX = 1_000;
const WEIGHT_MAX = 1_000;

const NAME = /^[a-z][a-z0-9-]{0,31}$/;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
const MEMBER = /^[a-z][a-z0-9_]{0,63}$/;
/** Visible ASCII characters, which are safe in a header. */
const KEY = /^[\x21-\x7e]+$/;

const RESERVED = new Set(['local', 'offline']);
/** Members without which a request is no request any more, or that the gateway itself sets. */
const REQUIRED_MEMBERS = new Set([
  ...['model', 'messages', 'system', 'input', 'stream', 'max_output_tokens', ...OUTPUT_LIMITS],
]);

/** Returns the targets of each model that the providers file lists, in the order of the file. */
export const listTargets = (listed: readonly ListedProvider[]): Map<string, Target[]> => {
  const targets = new Map<string, Target[]>();
  for (const { name: provider, models } of listed) {
    for (const { name: model, weight } of models) {
      targets.set(model, [...(targets.get(model) ?? []), { provider, model, weight }]);
    }
  }
  return targets;
};

type ParseOptions = {
  env: Readonly<Record<string, string | undefined>>;
  /** Names of providers that variables configure. */
  taken: readonly string[];
  addError: (error: string) => void;
};

/**
 * Parses the providers file. Every error is reported with the entry and member that it concerns,
 * and an entry with errors is left out. Keys are read from the variables that the entries name;
 * errors never repeat one.
 */
export const parseProvidersFile = (text: string, options: ParseOptions): ListedProvider[] => {
  let entries: unknown;
  try {
    entries = JSON.parse(text);
  } catch (error) {
    options.addError(`is no JSON: ${error instanceof Error ? error.message : String(error)}`);
    return [];
  }
  if (!Array.isArray(entries) || entries.length > PROVIDERS_MAX) {
    options.addError(`must hold a list of at most ${PROVIDERS_MAX} providers`);
    return [];
  }
  const seen = new Map(options.taken.map((name) => [name, 'the environment']));
  return entries.flatMap((entry: unknown, index) => {
    const path = `[${index}]`;
    const errors: string[] = [];
    const provider = readEntry(entry, options.env, (member, problem) =>
      errors.push(`${path}${member === '' ? '' : `.${member}`} ${problem}`),
    );
    if (provider) {
      const earlier = seen.get(provider.name);
      if (earlier) errors.push(`${path}.name "${provider.name}" is configured by ${earlier} too`);
      seen.set(provider.name, path);
    }
    for (const error of errors) options.addError(error);
    return provider && errors.length === 0 ? [provider] : [];
  });
};

type Report = (member: string, problem: string) => void;
type Entry = Readonly<Record<string, unknown>>;

const MEMBERS = new Set([
  ...['name', 'dialects', 'baseUrl', 'keyVariable', 'keyHeader', 'models', 'weights'],
  ...['outputLimit', 'unsupported', 'jsonSchema'],
]);

const readEntry = (
  value: unknown,
  env: ParseOptions['env'],
  report: Report,
): ListedProvider | undefined => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    report('', 'must be an object');
    return undefined;
  }
  const entry = value as Entry;
  for (const member of Object.keys(entry)) {
    if (!MEMBERS.has(member)) report(member, `is no member; there are ${[...MEMBERS].join(', ')}`);
  }
  const dialects = readDialects(entry.dialects, report);
  const { keyHeader = 'authorization', outputLimit, jsonSchema } = entry;
  if (!isOneOf(KEY_HEADERS, keyHeader)) report('keyHeader', `must be one of ${list(KEY_HEADERS)}`);
  if (outputLimit !== undefined && !isOneOf(OUTPUT_LIMITS, outputLimit)) {
    report('outputLimit', `must be one of ${list(OUTPUT_LIMITS)}`);
  }
  if (jsonSchema !== undefined && typeof jsonSchema !== 'boolean') {
    report('jsonSchema', 'must be true or false');
  }
  return {
    name: readName(entry.name, report),
    dialects,
    baseUrl: readBaseUrl(entry.baseUrl, dialects, report),
    apiKey: readKey(entry.keyVariable, env, report),
    keyHeader: keyHeader as KeyHeader,
    models: readModels(entry, report),
    adaptation: {
      outputLimit: outputLimit as BodyAdaptation['outputLimit'],
      unsupported: readUnsupported(entry.unsupported, report),
      jsonSchema: jsonSchema as BodyAdaptation['jsonSchema'],
    },
  };
};

const list = (values: readonly string[]): string => values.join(', ');

const isOneOf = <T extends string>(values: readonly T[], value: unknown): value is T =>
  values.some((one) => one === value);

const readName = (name: unknown, report: Report): string => {
  if (typeof name !== 'string' || !NAME.test(name)) {
    report('name', 'must be 1 to 32 lower-case letters, digits and dashes, a letter first');
    return '';
  }
  if (RESERVED.has(name)) report('name', `"${name}" is reserved`);
  return name;
};

const readDialects = (value: unknown, report: Report): EndpointName[] => {
  const known = readTexts(value ?? ['chat-completions'], 'dialects', report).filter(
    (dialect, at) => {
      if (isOneOf(DIALECTS, dialect)) return true;
      report(`dialects[${at}]`, `must be one of ${list(DIALECTS)}`);
      return false;
    },
  );
  if (Array.isArray(value) && value.length === 0) report('dialects', 'must hold at least one');
  return known as EndpointName[];
};

const readBaseUrl = (value: unknown, dialects: readonly EndpointName[], report: Report): string => {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
  if (!url || !['https:', 'http:'].includes(url.protocol)) {
    report('baseUrl', 'must be an absolute URL starting with https: or http:');
  } else if (url.username !== '' || url.password !== '') {
    report('baseUrl', 'must hold no credentials; name the variable with the key as keyVariable');
  } else if (url.hash !== '') {
    report('baseUrl', 'must have no fragment');
  } else if (dialects.includes('messages') && !/\/v\d+\/?$/.test(url.pathname)) {
    report('baseUrl', 'must end in the version of the API, such as /v1, with the dialect messages');
  }
  return String(value);
};

const readKey = (
  variable: unknown,
  env: ParseOptions['env'],
  report: Report,
): string | undefined => {
  if (variable === undefined) return undefined;
  if (typeof variable !== 'string' || !VARIABLE.test(variable)) {
    report('keyVariable', 'must be the name of an environment variable');
    return undefined;
  }
  const key = env[variable]?.trim();
  if (!key) report('keyVariable', `names ${variable}, which is not set`);
  else if (!KEY.test(key))
    report('keyVariable', `names ${variable}, which has characters of no key`);
  return key;
};

const readModels = (
  { models = [], weights = {} }: Entry,
  report: Report,
): ListedProvider['models'] => {
  const names = readTexts(models, 'models', report);
  if (names.length > MODELS_MAX) report('models', `may hold ${MODELS_MAX} names`);
  if (typeof weights !== 'object' || weights === null || Array.isArray(weights)) {
    report('weights', 'must be an object with a number for each model');
    return [];
  }
  const byName = weights as Readonly<Record<string, unknown>>;
  for (const [name, weight] of Object.entries(byName)) {
    if (!names.includes(name)) report(`weights.${name}`, 'is not in models');
    if (!Number.isInteger(weight) || Number(weight) < 0 || Number(weight) > WEIGHT_MAX) {
      report(`weights.${name}`, `must be a whole number from 0 to ${WEIGHT_MAX}`);
    }
  }
  return names.map((name) => {
    const weight = Object.hasOwn(byName, name) ? Number(byName[name]) : 0;
    return { name, weight };
  });
};

const readUnsupported = (value: unknown, report: Report): string[] =>
  readTexts(value ?? [], 'unsupported', report).filter((member, index) => {
    if (MEMBER.test(member) && !REQUIRED_MEMBERS.has(member)) return true;
    report(`unsupported[${index}]`, 'must be a member of requests that may be left out');
    return false;
  });

/** Returns the distinct texts of a list, none of them blank. */
const readTexts = (value: unknown, member: string, report: Report): string[] => {
  if (!Array.isArray(value)) {
    report(member, 'must be a list of texts');
    return [];
  }
  return value.filter((item: unknown, index): item is string => {
    const isText = typeof item === 'string' && item.trim() === item && item !== '';
    if (!isText) report(`${member}[${index}]`, 'must be a text without white space around it');
    else if (value.indexOf(item) !== index) report(`${member}[${index}]`, 'is in the list twice');
    return isText;
  });
};
