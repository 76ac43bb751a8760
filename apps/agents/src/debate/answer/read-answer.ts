import { describeJsonError, readJsonAnswer } from '@witan/dialects';
import type { JsonError, JsonObject, Prompt } from '@witan/dialects';
import { cleanText } from '../../prompt/to-one-line.ts';
import type { Answer, Issue, KeyPoint, Stance } from '../debate.ts';
import type { Lever } from '../debate.ts';
import { recoverContent } from './open-content-reader.ts';
import { isShort, openingOf } from './opening-of.ts';
import { toStance } from './stance-words.ts';

export type AnswerForm = {
  issues: readonly Issue[];
  levers: readonly Lever[];
  /** Issue that is the decision itself, as the person asked for it; undefined in panels. */
  decision?: Issue | undefined;
};

export type AnswerBody = Pick<
  Answer,
  'content' | 'position' | 'stances' | 'keyPoints' | 'changeReason' | 'wouldChangeMind' | 'levers'
>;

type ReadAnswer = { answer: AnswerBody; problem: string | undefined };

/**
 * Maximum lengths in the schema, in characters, because weak models repeat themselves up to the
 * limit of tokens, in which an answer of these lengths fits. A runtime that enforces the schema
 * ends a text there in the middle of a sentence.
 */
export const SCHEMA_LENGTHS = { content: 1_600, sentence: 300, point: 220 };
const POSITION_WORDS_MAX = 60;
export const KEY_POINTS_MAX = 5;
/**
 * Maximum length of an answer's content, the same as of a user's message. All lengths in this file
 * are in UTF-16 code units.
 */
const CONTENT_LENGTH_MAX = 32_000;
/**
 * Maximum length of a position, not counting the ellipsis of a shortened one. It bounds positions
 * in scripts without spaces, where the limit in words has no effect.
 */
const POSITION_LENGTH_MAX = 600;
const POINT_LENGTH_MAX = 400;
const POINT_ID_LENGTH_MAX = 40;
const REASON_LENGTH_MAX = 600;
/** Confidence of a stance whose confidence is missing. It is not in the schema. */
const DEFAULT_CONFIDENCE = 0.5;

/**
 * Parses an agent's answer. Prose counts as an answer without stances; from invalid JSON only the
 * text of `content` is used, so that users do not see JSON. Never throws.
 */
export const readAnswer = (
  raw: string,
  { isCut, form, schema }: { isCut: boolean; form: AnswerForm; schema?: Prompt['wantsJson'] },
): ReadAnswer => {
  const read = readJsonAnswer(raw, { isCut, schema });
  if ('error' in read) {
    const prose = isJson(raw, read.error) ? recoverContent(raw) : raw;
    return { answer: toProse(prose), problem: describeJsonError(read.error) };
  }
  const answer = readMembers(read.object, form);
  const missing = [
    ...(answer.content === '' ? ['"content"'] : []),
    ...(answer.stances.length === 0 ? ['"stances" on the issues that were named'] : []),
    ...(lacksLevers(read.object['levers'], answer, form) ? ['"levers"'] : []),
  ];
  if (missing.length === 0) return { answer: withDefaults(answer, form), problem: undefined };
  const fallbackContent = answer.position || answer.keyPoints.map(({ text }) => text).join(' ');
  const answerWithContent =
    answer.content === '' ? { ...answer, content: fallbackContent } : answer;
  return { answer: answerWithContent, problem: `these are missing: ${missing.join(', ')}` };
};

/** An empty object is an answer: it keeps every lever at its default. */
const lacksLevers = (value: unknown, answer: AnswerBody, { levers }: AnswerForm): boolean =>
  levers.length > 0 &&
  Object.keys(answer.levers).length === 0 &&
  !(isObject(value) && Object.keys(value).length === 0);

export const isEmptyAnswer = ({ content, levers }: AnswerBody): boolean =>
  content === '' && Object.keys(levers).length === 0;

/**
 * Returns true if a text that failed to parse looks like damaged or truncated JSON, not like prose.
 */
const isJson = (raw: string, { kind }: JsonError): boolean =>
  kind === 'malformed' || kind === 'too-deep' || /^\s*(?:[`~]{3}\w*\s*)?[[{]|\{\s*"/u.test(raw);

const toProse = (raw: string): AnswerBody => ({
  content: cleanText(raw, CONTENT_LENGTH_MAX),
  position: toPosition(raw),
  stances: [],
  keyPoints: [],
  changeReason: '',
  wouldChangeMind: '',
  levers: {},
});

const readMembers = (object: JsonObject, { issues, levers }: AnswerForm): AnswerBody => {
  const content = toText(object['content'], CONTENT_LENGTH_MAX);
  return {
    content,
    position: toPosition(readConclusion(object)),
    stances: readStances(object['stances'], issues),
    keyPoints: readKeyPoints(object['keyPoints'], issues),
    changeReason: toReason(object['changeReason']),
    wouldChangeMind: toReason(object['wouldChangeMind']),
    levers: readLevers(object['levers'], levers),
  };
};

/**
 * Returns the conclusion, which older prompts called `position`. If it is missing, returns the
 * content; if it is too short to be a statement, the opening of the content, because weak models
 * write a mood or a job there.
 */
const readConclusion = (object: JsonObject): string => {
  const stated = toText(object['conclusion'] ?? object['position'], CONTENT_LENGTH_MAX);
  const content = toText(object['content'], CONTENT_LENGTH_MAX);
  if (stated === '') return content;
  return isShort(stated) ? openingOf(content) || stated : stated;
};

/**
 * Returns the stances in the order of the issues; of several valid stances on one issue the last is
 * used.
 */
export const readStances = (value: unknown, issues: readonly Issue[]): Stance[] => {
  const found = new Map<string, Stance>();
  for (const [id, member] of toMembers(value, 'issue')) {
    const stance = toStance(isObject(member) ? member['stance'] : member);
    if (stance === undefined) continue;
    const confidence = isObject(member) ? toConfidence(member['confidence']) : DEFAULT_CONFIDENCE;
    found.set(id, { issueId: id, stance, confidence });
  }
  return issues.flatMap(({ id }) => found.get(id) ?? []);
};

const toMembers = (value: unknown, key: string): [string, unknown][] => {
  if (isObject(value)) return Object.entries(value);
  if (!Array.isArray(value)) return [];
  return value.flatMap((item: unknown): [string, unknown][] => {
    const id = isObject(item) ? (item[key] ?? item['id']) : undefined;
    return typeof id === 'string' ? [[id.trim(), item]] : [];
  });
};

const toConfidence = (value: unknown): number => {
  const number = toNumber(value);
  return number === undefined ? DEFAULT_CONFIDENCE : Math.min(1, Math.max(0, number));
};

const readKeyPoints = (value: unknown, issues: readonly Issue[]): KeyPoint[] => {
  if (!Array.isArray(value)) return [];
  const points: KeyPoint[] = [];
  const ids = new Set<string>();
  for (const item of value.slice(0, KEY_POINTS_MAX) as unknown[]) {
    const text = toText(isObject(item) ? (item['point'] ?? item['text']) : item, POINT_LENGTH_MAX);
    if (text === '' || text.endsWith(':')) continue;
    const statedId = isObject(item) ? toText(item['id'], POINT_ID_LENGTH_MAX) : '';
    const id = statedId !== '' && !ids.has(statedId) ? statedId : `p${points.length + 1}`;
    if (ids.has(id)) continue;
    ids.add(id);
    const issue = isObject(item) && issues.find((one) => one.id === item['issue']);
    points.push({ id, text, ...(issue ? { issueId: issue.id } : {}) });
  }
  return points;
};

const readLevers = (value: unknown, levers: readonly Lever[]): Record<string, number> => {
  const found = new Map(toMembers(value, 'name'));
  const decided = levers.flatMap(({ name, min, max }): [string, number][] => {
    const member = found.get(name);
    const number = toNumber(isObject(member) ? member['value'] : member);
    return number === undefined ? [] : [[name, Math.min(max, Math.max(min, number))]];
  });
  return Object.fromEntries(decided);
};

const withDefaults = (answer: AnswerBody, { levers }: AnswerForm): AnswerBody => ({
  ...answer,
  levers: {
    ...Object.fromEntries(levers.map(({ name, defaultValue }) => [name, defaultValue])),
    ...answer.levers,
  },
});

const toNumber = (value: unknown): number | undefined => {
  const isText = typeof value === 'string' && value.trim() !== '';
  const number = isText ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
};

const toText = (value: unknown, lengthMax: number): string =>
  typeof value === 'string' ? cleanText(endWhole(value), lengthMax) : '';

const CUT_LENGTHS: ReadonlySet<number> = new Set(Object.values(SCHEMA_LENGTHS));
const SENTENCES = /^.*[.!?…。！？](?=\s|$)/su;

/** Ends a text that the schema cut at its last whole sentence, or else with an ellipsis. */
const endWhole = (text: string): string => {
  if (!CUT_LENGTHS.has([...text].length)) return text;
  return SENTENCES.exec(text)?.[0] ?? `${text.trimEnd()} …`;
};

/** Matches texts that models write to say that there is no reason. */
const NO_REASON = /^(?:null|none|nothing|n\/?a|no change|not applicable|[-–—]+)?\.?$/iu;

const toReason = (value: unknown): string => {
  const reason = toText(value, REASON_LENGTH_MAX);
  return NO_REASON.test(reason) ? '' : reason;
};

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const toPosition = (text: string): string => {
  const cleanContent = cleanText(text, CONTENT_LENGTH_MAX);
  const words = cleanContent.split(/\s+/);
  const shown =
    words.length <= POSITION_WORDS_MAX
      ? cleanContent
      : words.slice(0, POSITION_WORDS_MAX).join(' ');
  const cut = cleanText(shown, POSITION_LENGTH_MAX);
  return cut === cleanContent ? cleanContent : `${cut} …`;
};
