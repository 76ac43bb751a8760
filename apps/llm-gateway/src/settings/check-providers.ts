import { invalidRequest } from '@witan/contracts';
import type { DialectName } from '@witan/dialects';

/** A provider as given by the caller; an empty string stands for an absent member. */
export type ProviderInput = { name: string; dialect: string; baseUrl: string; apiKey: string };

export type CheckedProvider = {
  name: string;
  dialect: DialectName;
  baseUrl: string;
  /** Undefined if the stored key does not change. */
  apiKey: string | undefined;
};

export const OFFICIAL_BASE_URLS: Readonly<Record<DialectName, string>> = {
  'chat-completions': 'https://api.openai.com/v1',
  messages: 'https://api.anthropic.com',
  responses: 'https://api.openai.com/v1',
};

/**
 * Returns the dialects that a provider speaks: its own, and the others that have the same official
 * URL, if it is the provider at that URL.
 */
export const dialectsOf = ({
  dialect,
  baseUrl,
}: Pick<CheckedProvider, 'dialect' | 'baseUrl'>): DialectName[] => {
  const names = Object.keys(OFFICIAL_BASE_URLS) as DialectName[];
  const official = names.filter((name) => OFFICIAL_BASE_URLS[name] === baseUrl);
  return [dialect, ...official.filter((name) => name !== dialect)];
};

const RESERVED = new Set(['local', 'offline']);
/** Dialects that a provider of this name may speak; the first one is its default. */
const FIXED_DIALECTS: ReadonlyMap<string, readonly DialectName[]> = new Map([
  ['openai', ['chat-completions', 'responses']],
  ['anthropic', ['messages']],
]);
/** Visible ASCII characters, which are safe in a header. */
const KEY = /^[\x21-\x7e]+$/;

/**
 * Validates a list of providers except their base URLs, and fills in defaults. The api-gateway has
 * validated the number of providers, the form of names, the dialects, and lengths. Throws
 * INVALID_REQUEST whose `param` is the path in the public body.
 */
export const checkProviders = (inputs: readonly ProviderInput[]): CheckedProvider[] => {
  const seen = new Set<string>();
  return inputs.map((input, index) => {
    const path = `providers[${index}]`;
    checkName(input.name, `${path}.name`, seen);
    seen.add(input.name);
    const dialect = readDialect(input, `${path}.dialect`);
    // An invalid key is not repeated in the message.
    if (input.apiKey && !KEY.test(input.apiKey)) {
      throw toError(`${path}.apiKey`, 'a key holds visible ASCII characters, and no spaces.');
    }
    return {
      name: input.name,
      dialect,
      baseUrl: input.baseUrl || OFFICIAL_BASE_URLS[dialect],
      apiKey: input.apiKey || undefined,
    };
  });
};

const checkName = (name: string, path: string, seen: ReadonlySet<string>): void => {
  if (RESERVED.has(name)) {
    throw toError(path, `"${name}" is the operator's own machine; choose another name.`);
  }
  if (seen.has(name)) throw toError(path, `"${name}" stands in the list twice.`);
};

const readDialect = ({ name, dialect }: ProviderInput, path: string): DialectName => {
  const own = FIXED_DIALECTS.get(name);
  const statedDialect = (dialect || own?.[0] || 'chat-completions') as DialectName;
  if (own && !own.includes(statedDialect)) {
    const spoken = own.join(' or ');
    throw toError(path, `"${name}" speaks ${spoken}; give another provider another name.`);
  }
  return statedDialect;
};

const toError = (param: string, problem: string): Error =>
  invalidRequest(`${param}: ${problem}`, { param });
