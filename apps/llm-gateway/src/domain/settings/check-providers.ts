import { invalidRequest } from '@witan/contracts';
import type { DialectName } from '@witan/dialects';

/** A provider as a caller gives it; empty text: not given. */
export type ProviderInput = { name: string; dialect: string; baseUrl: string; apiKey: string };

/** A provider that may be kept once its base URL was checked. */
export type CheckedProvider = {
  name: string;
  dialect: DialectName;
  /** As it was given, or the dialect's official one. */
  baseUrl: string;
  /** Undefined: the key that is kept already. */
  apiKey: string | undefined;
};

/** Where the official SDK of each dialect goes by itself. */
export const OFFICIAL_BASE_URLS: Readonly<Record<DialectName, string>> = {
  'chat-completions': 'https://api.openai.com/v1',
  messages: 'https://api.anthropic.com',
};

const PROVIDERS_MAX = 50;
const NAME = /^[a-z][a-z0-9-]{0,31}$/;
/** The operator's own machine: what is sent there counts as not having left. */
const RESERVED = new Set(['local', 'offline']);
/** Names whose models everybody knows, and the dialect that those models speak. */
const OWN_DIALECTS: ReadonlyMap<string, DialectName> = new Map([
  ['openai', 'chat-completions'],
  ['anthropic', 'messages'],
]);
/** What a header can carry without being read as something else. */
const KEY = /^[\x21-\x7e]{1,1024}$/;

/**
 * Checks a whole list of providers but for their base URLs, and fills in what was not given. Throws
 * INVALID_REQUEST whose `param` names the place in the public body.
 */
export const checkProviders = (inputs: readonly ProviderInput[]): CheckedProvider[] => {
  if (inputs.length > PROVIDERS_MAX) {
    throw refuse('providers', `there may be at most ${PROVIDERS_MAX} providers.`);
  }
  const seen = new Set<string>();
  return inputs.map((input, index) => {
    const path = `providers[${index}]`;
    checkName(input.name, `${path}.name`, seen);
    seen.add(input.name);
    const dialect = readDialect(input, `${path}.dialect`);
    // The key itself is never in a message.
    if (input.apiKey && !KEY.test(input.apiKey)) {
      throw refuse(
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
    throw refuse(
      path,
      'a name begins with a lower-case letter and holds at most 32 lower-case letters, digits ' +
        'and dashes.',
    );
  }
  if (RESERVED.has(name)) {
    throw refuse(path, `"${name}" is the operator's own machine; choose another name.`);
  }
  if (seen.has(name)) throw refuse(path, `"${name}" stands in the list twice.`);
};

const readDialect = ({ name, dialect }: ProviderInput, path: string): DialectName => {
  const own = OWN_DIALECTS.get(name);
  const given = dialect || own || 'chat-completions';
  if (given !== 'chat-completions' && given !== 'messages') {
    throw refuse(path, 'must be chat-completions or messages.');
  }
  if (own && given !== own) {
    throw refuse(path, `"${name}" speaks ${own}; give another provider another name.`);
  }
  return given;
};

const refuse = (param: string, problem: string): Error =>
  invalidRequest(`${param}: ${problem}`, { param });
