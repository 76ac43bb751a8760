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
};

const PROVIDERS_MAX = 50;
const NAME = /^[a-z][a-z0-9-]{0,31}$/;
const RESERVED = new Set(['local', 'offline']);
const FIXED_DIALECTS: ReadonlyMap<string, DialectName> = new Map([
  ['openai', 'chat-completions'],
  ['anthropic', 'messages'],
]);
/** Printable ASCII that is safe in a header. */
const KEY = /^[\x21-\x7e]{1,1024}$/;

/**
 * Validates a list of providers except their base URLs, and fills in defaults. Throws
 * INVALID_REQUEST whose `param` is the path in the public body.
 */
export const checkProviders = (inputs: readonly ProviderInput[]): CheckedProvider[] => {
  if (inputs.length > PROVIDERS_MAX) {
    throw toError('providers', `there may be at most ${PROVIDERS_MAX} providers.`);
  }
  const seen = new Set<string>();
  return inputs.map((input, index) => {
    const path = `providers[${index}]`;
    checkName(input.name, `${path}.name`, seen);
    seen.add(input.name);
    const dialect = readDialect(input, `${path}.dialect`);
    // An invalid key is not repeated in the message.
    if (input.apiKey && !KEY.test(input.apiKey)) {
      throw toError(
        `${path}.apiKey`,
        'a key is 1 to 1024 characters of visible ASCII, without spaces.',
      );
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
  if (!NAME.test(name)) {
    throw toError(
      path,
      'a name begins with a lower-case letter and holds at most 32 lower-case letters, digits ' +
        'and dashes.',
    );
  }
  if (RESERVED.has(name)) {
    throw toError(path, `"${name}" is the operator's own machine; choose another name.`);
  }
  if (seen.has(name)) throw toError(path, `"${name}" stands in the list twice.`);
};

const readDialect = ({ name, dialect }: ProviderInput, path: string): DialectName => {
  const own = FIXED_DIALECTS.get(name);
  const statedDialect = dialect || own || 'chat-completions';
  if (statedDialect !== 'chat-completions' && statedDialect !== 'messages') {
    throw toError(path, 'must be chat-completions or messages.');
  }
  if (own && statedDialect !== own) {
    throw toError(path, `"${name}" speaks ${own}; give another provider another name.`);
  }
  return statedDialect;
};

const toError = (param: string, problem: string): Error =>
  invalidRequest(`${param}: ${problem}`, { param });
