import { invalidRequest } from '@witan/contracts';
import { endOfString } from '@witan/dialects';
import { ValidationError } from './encode-native-error.ts';

export const JSON_DEPTH_MAX = 64;
/**
 * Maximum number of values in a body, including objects and lists, because each costs time in every
 * service that reads the body.
 */
const VALUES_MAX = 250_000;
const MEMBERS_MAX = 1_000;
/**
 * Maximum number of members of any object in a native body, and of the objects in JSON Schemas and
 * tool arguments in a gateway body.
 */
const WIDE_MEMBERS_MAX = 5_000;

/**
 * Members of gateway bodies that contain JSON Schemas or tool arguments, whose objects may have
 * more members.
 */
const WIDE_MEMBERS: ReadonlySet<string> = new Set([
  'tools',
  'functions',
  'response_format',
  'output_config',
  'output_format',
  'input',
]);

/** Member of gateway bodies whose string contains JSON text: the arguments of a tool call. */
const TEXT_MEMBER = 'arguments';

type Frame = {
  names: Set<string> | undefined;
  name: string;
  index: number;
  membersMax: number;
};

/**
 * `gateway` bodies are completion requests in a wire dialect: they pass through all services and
 * may be large. All other bodies are `native`.
 */
export type BodyKind = 'native' | 'gateway';

/**
 * Checks the text of a JSON body before it is parsed. Throws INVALID_REQUEST with the path of the
 * first repeated member (parsers differ in which one they use) and for too many members, values or
 * levels. Text that is not JSON may pass; the parser refuses it afterwards.
 */
export const checkJson = (text: string, kind: BodyKind): void => {
  const isGateway = kind === 'gateway';
  scan(text, {
    membersMax: isGateway ? MEMBERS_MAX : WIDE_MEMBERS_MAX,
    wide: isGateway ? WIDE_MEMBERS : NO_NAMES,
    textMember: isGateway ? TEXT_MEMBER : undefined,
  });
};

const NO_NAMES: ReadonlySet<string> = new Set();

type Limits = {
  membersMax: number;
  wide: ReadonlySet<string>;
  textMember: string | undefined;
};

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;

const scan = (text: string, limits: Limits): void => {
  const frames: Frame[] = [];
  let values = 0;
  let isNameNext = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) {
      const end = endOfString(text, index);
      const frame = frames.at(-1);
      if (frame?.names && isNameNext) {
        isNameNext = false;
        values = addValues(values, 1);
        addName(text.slice(index, end), frames);
      } else if (frame?.names && frame.name === limits.textMember) {
        values = addValues(values, checkJsonText(text.slice(index, end), frames));
      }
      index = end - 1;
    } else if (code === OPEN_OBJECT || code === OPEN_LIST) {
      const isObject = code === OPEN_OBJECT;
      open(frames, isObject, limits);
      isNameNext = isObject;
      if (!isObject && !isEmptyList(text, index)) values = addValues(values, 1);
    } else if (code === CLOSE_OBJECT || code === CLOSE_LIST) {
      frames.pop();
      isNameNext = false;
    } else if (code === COMMA) {
      const frame = frames.at(-1);
      isNameNext = frame?.names !== undefined;
      if (frame && !isNameNext) {
        frame.index += 1;
        values = addValues(values, 1);
      }
    }
  }
};

const open = (frames: Frame[], isObject: boolean, { membersMax, wide }: Limits): void => {
  if (frames.length === JSON_DEPTH_MAX) {
    throw invalidRequest(`The body is nested deeper than ${JSON_DEPTH_MAX} levels.`);
  }
  const parent = frames.at(-1);
  const isParentWide = parent !== undefined && wide.has(parent.name);
  frames.push({
    names: isObject ? new Set() : undefined,
    name: '',
    index: 0,
    membersMax: isParentWide ? WIDE_MEMBERS_MAX : (parent?.membersMax ?? membersMax),
  });
};

const addValues = (values: number, added: number): number => {
  if (values + added <= VALUES_MAX) return values + added;
  throw invalidRequest(`The body holds more than ${VALUES_MAX} values.`);
};

const addName = (token: string, frames: readonly Frame[]): void => {
  const frame = frames.at(-1)!;
  const names = frame.names!;
  if (names.size === frame.membersMax) {
    const path = pathOf(frames.slice(0, -1));
    const message = `has more than ${frame.membersMax} members`;
    throw new ValidationError([{ path, message }]);
  }
  frame.name = toName(token);
  if (names.has(frame.name)) {
    const message = 'is repeated in its object; send it once';
    throw new ValidationError([{ path: pathOf(frames), message }]);
  }
  names.add(frame.name);
};

/**
 * Returns the name of a member from its JSON token. Escapes are decoded, because an escaped and a
 * plain spelling are the same name.
 */
const toName = (token: string): string => {
  if (!token.includes('\\')) return token.slice(1, -1);
  try {
    return JSON.parse(token) as string;
  } catch {
    // The token is not a JSON string; it is returned as it is, and the parser reports the error.
    return token;
  }
};

/**
 * Shorter texts cannot contain an object with too many members, because the shortest member,
 * `"":0,`, has five characters.
 */
const TEXT_LENGTH_MIN = 5 * WIDE_MEMBERS_MAX;

/**
 * Checks the JSON text of tool arguments and returns an upper bound of its number of values, or 0
 * if it is short. Text that is not JSON passes, because a model may have written it.
 */
const checkJsonText = (token: string, frames: readonly Frame[]): number => {
  if (token.length < TEXT_LENGTH_MIN) return 0;
  const text = String(parseOr('', token));
  const marks = countMarks(text);
  // A text with too many values is not parsed, because its values could take a hundred times its
  // memory.
  if (marks > VALUES_MAX || !hasWideObject(parseOr(undefined, text))) return marks;
  const message = `holds an object of more than ${WIDE_MEMBERS_MAX} members`;
  throw new ValidationError([{ path: pathOf(frames), message }]);
};

const parseOr = (fallback: unknown, text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return fallback;
  }
};

/**
 * Returns an upper bound of the number of values in JSON text after the first, each of which
 * follows a comma or an opening bracket. Stops above VALUES_MAX.
 */
const countMarks = (text: string): number => {
  let marks = 0;
  for (let index = 0; index < text.length && marks <= VALUES_MAX; index += 1) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) index = endOfString(text, index) - 1;
    else if (code === COMMA || code === OPEN_OBJECT || code === OPEN_LIST) marks += 1;
  }
  return marks;
};

const hasWideObject = (root: unknown): boolean => {
  const pending: unknown[] = [root];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value !== 'object' || value === null) continue;
    const children = Object.values(value);
    if (!Array.isArray(value) && children.length > WIDE_MEMBERS_MAX) return true;
    for (const child of children) pending.push(child);
  }
  return false;
};

const isEmptyList = (text: string, start: number): boolean => {
  let offset = start + 1;
  while (text.charCodeAt(offset) <= 0x20) offset += 1;
  return text.charCodeAt(offset) === CLOSE_LIST;
};

/**
 * Maximum length of a reported path, because it contains member names of any length that the caller
 * chose.
 */
const PATH_LENGTH_MAX = 200;

const pathOf = (frames: readonly Frame[]): string =>
  frames
    .reduce((path, { names, name, index }) => {
      if (!names) return `${path}[${index}]`;
      return path === '' ? name : `${path}.${name}`;
    }, '')
    .slice(0, PATH_LENGTH_MAX)
    .toWellFormed();
