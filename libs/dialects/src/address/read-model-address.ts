import { invalidRequest } from '@witan/contracts';

export type ModelAddress = {
  kind: 'model' | 'agent' | 'debate' | ServiceKind;
  /**
   * Name of the model without flags, as the client spelled it unless it encoded a `+`; for an agent
   * or a debate, the part after the colon; empty for a `service-...` address.
   */
  name: string;
  knowledge: boolean;
  sensitive: boolean;
};

const SERVICE_KINDS = ['service-auto', 'service-agent', 'service-sensitive'] as const;
const FLAGS = ['knowledge', 'sensitive'] as const;
type ServiceKind = (typeof SERVICE_KINDS)[number];

const SPACES = /[\p{White_Space}\p{Default_Ignorable_Code_Point}]+/gu;
const DASHES = /[\p{Pd}\p{Pc}\u02d7\u2043\u2212\u2796]+/gu;
/**
 * Maximum number of decoding passes. Each removes one layer of percent-encoding, for example from
 * `%252B` to `%2B`.
 */
const PASSES_MAX = 8;

/**
 * Parses a `model` field as a model address. Letter case, white space, percent-encoding,
 * compatibility forms (NFKC) and kinds of dashes are ignored, so that such spellings of
 * `service-sensitive` or `+sensitive` are not taken for the name of a provider's model. Throws
 * INVALID_REQUEST for an unknown `+flag`, an unknown name that begins with `service`, a misspelt
 * `service-sensitive`, and `sensitive` that stands alone or behind another sign than `+`.
 */
export const readModelAddress = (requested: string): ModelAddress => {
  const decoded = decode(requested);
  const [base = '', ...suffixes] = decoded.split('+');
  const flags = new Set(suffixes.map(readFlag));
  const flagMembers = { knowledge: flags.has('knowledge'), sensitive: flags.has('sensitive') };
  const [, scheme, name] = /^\s*(agent|debate)\s*:(.*)$/isu.exec(base) ?? [];
  if (scheme)
    return { kind: scheme.toLowerCase() as 'agent' | 'debate', name: name!, ...flagMembers };
  const kind = readServiceKind(base);
  if (kind) return { kind, name: '', ...flagMembers };
  verifyNoOtherSensitive(base);
  return {
    kind: 'model',
    name: flags.size > 0 ? baseAsWritten(requested, base) : requested,
    ...flagMembers,
  };
};

/**
 * Returns whether the name of a provider's model equals or resembles a `service-...` address, or
 * ends in something like a flag of Witan.
 */
export const isAddressLike = (model: string): boolean => {
  const [base = '', ...suffixes] = decode(model).split('+');
  return (
    findNearest(toComparable(base), SERVICE_KINDS) !== undefined ||
    suffixes.some((suffix) => findNearest(toComparable(suffix), FLAGS) !== undefined)
  );
};

const readFlag = (suffix: string): (typeof FLAGS)[number] => {
  const text = toComparable(suffix);
  const flag = FLAGS.find((name) => name === text);
  if (flag) return flag;
  const suggestion = findNearest(text, FLAGS);
  throw addressError(
    `+${text} is no flag` +
      (suggestion
        ? `; did you mean +${suggestion}?`
        : '; the flags are +knowledge and +sensitive.'),
    'A model whose own name holds a + can be the target of an alias (PUT /v1/workspace).',
  );
};

const readServiceKind = (base: string): ServiceKind | undefined => {
  const text = toComparable(base);
  const kind = SERVICE_KINDS.find((name) => name === text);
  if (kind) return kind;
  const suggestion = findNearest(text, SERVICE_KINDS);
  if (!text.startsWith('service') && suggestion !== 'service-sensitive') return undefined;
  throw addressError(
    `${text} is none of ${SERVICE_KINDS.join(', ')}` +
      (suggestion ? `; did you mean ${suggestion}?` : '.'),
    'A model whose own name begins so can be the target of an alias (PUT /v1/workspace).',
  );
};

/** Signs that names of models are not joined with; `-`, `_` and `.` are part of many names. */
const SEPARATORS = /[^\p{L}\p{N}\p{M}._\-\u2010-\u2015]+/u;

/** Throws INVALID_REQUEST for a name that a client may believe to force local processing. */
const verifyNoOtherSensitive = (base: string): void => {
  const last = toComparable(base.split(SEPARATORS).findLast((word) => word !== '') ?? '');
  if (!findNearest(last, ['sensitive'])) return;
  throw addressError(
    `${last} is no model; did you mean +sensitive?`,
    'A model whose own name ends so can be the target of an alias (PUT /v1/workspace).',
  );
};

const baseAsWritten = (requested: string, decodedBase: string): string => {
  const writtenBase = requested.split('+', 1)[0]!;
  return (decode(writtenBase).includes('+') ? decodedBase : writtenBase).trim();
};

/** Printable ASCII without `%`, which `decode` would not change. */
const PLAIN = /^[ -$&-~]*$/;

const decode = (text: string): string => {
  if (PLAIN.test(text)) return text;
  let decoded = text;
  for (let pass = 0; pass < PASSES_MAX; pass += 1) {
    const previous = decoded;
    decoded = decodePercent(previous.normalize('NFKC')).replaceAll('\u2795', '+');
    if (decoded === previous) break;
  }
  return decoded;
};

/**
 * Removes one layer of percent-encoding. Invalid UTF-8 becomes U+FFFD, which no model address
 * contains.
 */
const decodePercent = (text: string): string =>
  text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (escapes) =>
    new TextDecoder().decode(
      Uint8Array.from(escapes.slice(1).split('%'), (digits) => Number.parseInt(digits, 16)),
    ),
  );

const toComparable = (text: string): string =>
  text.replaceAll(SPACES, '').replaceAll(DASHES, '-').toLowerCase();

const addressError = (problem: string, advice: string): Error =>
  invalidRequest(`model: ${problem} ${advice}`, { param: 'model' });

const EDITS_MAX = 2;

const findNearest = <Name extends string>(
  text: string,
  names: readonly Name[],
): Name | undefined => {
  const candidates = names
    .filter((name) => Math.abs(name.length - text.length) <= EDITS_MAX)
    .map((name) => ({ name, edits: levenshteinDistance(text, name) }))
    .filter(({ edits }) => edits <= EDITS_MAX);
  return candidates.toSorted((a, b) => a.edits - b.edits)[0]?.name;
};

const levenshteinDistance = (source: string, target: string): number => {
  let row = Array.from({ length: target.length + 1 }, (_, index) => index);
  for (let index = 0; index < source.length; index += 1) {
    const next = [index + 1];
    for (let column = 0; column < target.length; column += 1) {
      const substitutionCost = row[column]! + (source[index] === target[column] ? 0 : 1);
      next.push(Math.min(substitutionCost, row[column + 1]! + 1, next[column]! + 1));
    }
    row = next;
  }
  return row.at(-1)!;
};

/**
 * Returns whether the gateway chose `model` instead of the client. Flags of the requested model
 * address are ignored.
 */
export const isChosenByGateway = (requested: string, model: string): boolean =>
  requested !== model && readModelAddress(requested).name !== model;
