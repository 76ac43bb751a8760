import type { Span } from '../span.ts';
import { advanceInSteps, STEP_UNITS } from '../steps.ts';
import type { Stepped, Steps } from '../steps.ts';
import { createCharTable } from './char-table.ts';
import {
  createClues,
  FEATURES,
  lookUpTokens,
  readClues,
  readPairs,
  writeFeatures,
  type Clues,
} from './features.ts';
import { findLines } from '../block/find-lines.ts';
import { createEvidence } from './evidence.ts';
import type { NamedSpan } from './span-context.ts';
import {
  createPathFinder,
  WINDOW,
  NAME_CATEGORIES,
  ROW_LENGTH,
  packRows,
  sumPackedRows,
} from './find-path.ts';
import { addRepeats } from './add-repeats.ts';
import { markKeys, openKeyMarker } from './keys.ts';
import {
  beginTokens,
  createTokens,
  EDGE_TOKENS,
  readTokens,
  tokenize,
  type Tokens,
} from './tokenize.ts';
import { unpackWeights, type NameWeights } from './weights.ts';
import { createWindowFinder, shiftFor } from './windows.ts';

const WORD_LENGTH_MAX = 40;
const LOWER_WORD = /^[^\p{L}\p{N}]*\p{Ll}+[^\p{L}\p{N}]*$/u;

/** Returns ascending spans of names outside of `takenSpans`. */
export type NameDetector = Stepped<[text: string, takenSpans: readonly Span[]], Span[]>;

export const createNameDetector = (weights: NameWeights = unpackWeights()): NameDetector => {
  const table = createCharTable();
  const sharedTokens = createTokens(STEP_UNITS);
  const sharedClues = createClues(STEP_UNITS + EDGE_TOKENS);
  const { gazetteer } = weights;
  const openFinding = createModel(weights, createEvidence(table));
  const findNames = (text: string, takenSpans: readonly Span[]): Span[] => {
    if (isOneLowerWord(text)) return [];
    const isShort = text.length <= STEP_UNITS;
    const tokens = tokenize(text, takenSpans, table, isShort ? sharedTokens : undefined);
    markKeys(text, tokens, table);
    const clues = readClues(tokens, gazetteer, isShort ? sharedClues : undefined);
    const { readTo, finish, createIsName } = openFinding(text, tokens, clues);
    readTo(tokens.count);
    const spans = finish();
    if (spans.length === 0) return [];
    const isName = createIsName();
    return addRepeats(spans.filter(isName), tokens, clues).filter(isName).map(toSpan);
  };
  function* findInSteps(text: string, takenSpans: readonly Span[]): Steps<Span[]> {
    // A short text is not interrupted, because all short texts use the same tokens.
    if (text.length <= STEP_UNITS) return findNames(text, takenSpans);
    const tokens = createTokens(text.length);
    const read = beginTokens();
    const readTokensTo = (end: number): void =>
      readTokens(text, takenSpans, table, tokens, read, end);
    yield* advanceInSteps(text.length, readTokensTo);
    const { count } = tokens;
    yield* advanceInSteps(count, openKeyMarker(text, tokens, table));
    const clues = createClues(count);
    let from = EDGE_TOKENS;
    yield* advanceInSteps(count, (to) => {
      lookUpTokens(tokens, gazetteer, clues, from, to);
      from = Math.max(from, to);
    });
    const { readTo, finish, createIsName } = openFinding(text, tokens, clues);
    yield* advanceInSteps(count, readTo);
    const spans = finish();
    if (spans.length === 0) return [];
    yield;
    const isName = createIsName();
    const named = addRepeats(yield* filterInSteps(spans, isName), tokens, clues);
    return (yield* filterInSteps(named, isName)).map(toSpan);
  }
  return Object.assign(findNames, { inSteps: findInSteps });
};

/** Returns a function that finds the candidates of a text and checks them. */
const createModel = (weights: NameWeights, isSupported: ReturnType<typeof createEvidence>) => {
  const finder = createPathFinder();
  const path = new Uint8Array(WINDOW);
  const openWindows = createWindowFinder(weights.gate);
  const rows = packRows(weights.rows);
  const steps = Float64Array.from(weights.steps);
  const shift = shiftFor(weights.rows.length / ROW_LENGTH);
  return (text: string, tokens: Tokens, clues: Clues) => {
    const spans: NamedSpan[] = [];
    const windows = openWindows(tokens, clues, (from, to) => {
      readPairs(tokens, clues, weights.gazetteer, from, to);
      for (let index = from; index < to; index++)
        writeFeatures(
          text,
          tokens,
          clues,
          index,
          shift,
          finder.features,
          (index - from) * FEATURES,
        );
      sumPackedRows(rows, finder.features, finder.emissions, to - from);
      finder.find(steps, to - from, path);
      addSpans(spans, tokens, from, to, path);
    });
    const finish = (): NamedSpan[] => {
      windows.finish();
      for (const span of spans) trimHeading(span, text, tokens);
      return spans;
    };
    const createIsName = (): ((span: NamedSpan) => boolean) => {
      const around = { text, tokens, clues, lines: findLines(text) };
      return (span) =>
        !isNeverName(text.slice(span.start, span.end)) &&
        !isAmount(text, span) &&
        isSupported(span, around);
    };
    return { readTo: windows.readTo, finish, createIsName };
  };
};

/**
 * Returns whether a text is one lower-case word, such as `grace`: it is usually a command, a tag or
 * an answer and therefore not searched for names.
 */
const isOneLowerWord = (text: string): boolean =>
  text.length <= WORD_LENGTH_MAX && LOWER_WORD.test(text);

const toSpan = ({ start, end, category }: NamedSpan): Span => ({ start, end, category });

function* filterInSteps(
  spans: readonly NamedSpan[],
  isName: (span: NamedSpan) => boolean,
): Steps<NamedSpan[]> {
  const names: NamedSpan[] = [];
  for (const [index, span] of spans.entries()) {
    // Checking a candidate takes about as long as 64 other tokens.
    if (index % (STEP_UNITS / 64) === 0) yield;
    if (isName(span)) names.push(span);
  }
  return names;
}

/**
 * Returns whether a candidate must not be masked as a name: it consists of words of `NEVER_NAMES`,
 * possibly with lower-case words, such as `valid JSON`, or of one or two lower-case letters.
 */
const isNeverName = (name: string): boolean => {
  const words = name.split(/\s+/);
  const isNever = (word: string): boolean =>
    NEVER_NAMES.has(word) || NEVER_NAMES.has(word.charAt(0) + word.slice(1).toLowerCase());
  const isPossibleName = (word: string): boolean => !isNever(word) && !/^\p{Ll}/u.test(word);
  if (/^\p{Ll}{1,2}$/u.test(name)) return true;
  return words.some((word) => isNever(word)) && !words.some(isPossibleName);
};

const LARGE_UNIT = '(?:Tausend|Mio\\.?|Mrd\\.?|Million(?:en)?|Milliarden?|Euro|Prozent)';
const CURRENCY = '(?:Euro|Dollar|Franken)';
const AMOUNT = new RegExp(`\\d[\\d.,]*\\s${LARGE_UNIT}(?:\\s${CURRENCY})?(?![\\p{L}-])`, 'uy');

/**
 * Returns whether a candidate is an amount, such as `139 Tausend`, or its number, possibly with
 * lower-case words after it. The model takes some of these for house numbers and streets.
 */
const isAmount = (text: string, { start, end }: Span): boolean => {
  AMOUNT.lastIndex = start;
  if (!AMOUNT.test(text)) return false;
  return !/[\p{Lu}\d]/u.test(text.slice(AMOUNT.lastIndex, end));
};

const trimHeading = (span: NamedSpan, text: string, tokens: Tokens): void => {
  while (span.first + 1 < span.last && /^[#*>-]+\s/.test(text.slice(span.start, span.end))) {
    span.first++;
    span.start = tokens.start[span.first]!;
  }
};

const addSpans = (
  spans: NamedSpan[],
  { start, end }: Tokens,
  from: number,
  to: number,
  path: Uint8Array,
): void => {
  for (let index = from; index < to; index++) {
    const label = path[index - from]!;
    if (label === 0) continue;
    const last = spans.at(-1);
    if (label % 2 === 0 && last !== undefined) {
      last.end = end[index]!;
      last.last = index + 1;
    } else
      spans.push({
        start: start[index]!,
        end: end[index]!,
        category: NAME_CATEGORIES[(label - 1) >> 1]!,
        first: index,
        last: index + 1,
      });
  }
};

/**
 * Technical abbreviations, languages and short forms of large numbers that are frequent in prompts.
 * On their own they are never masked as names, even if the model predicts one.
 */
const NEVER_NAMES: ReadonlySet<string> = new Set(
  `ATM ATMS BIC CEO CFO COO CTO CVV DIY DNA DOB GPS HR IBAN OTP PIN SSN TV VAT AGI AI AJAX AND
   ANSI API APIS ASAP ASCII ASK AWS BASH BOM BSON CDN CI CLI CORS CPU CRLF CRM CRUD CSS CSV DAG
   DDL DELETE DESC DNS DOCX DOM DRY DSL EOD EOF ERP ETA ETL FAQ FIXME FTP FYI GDPR GET GIF GPT
   GPU GROUP GUI HEAD HMAC HTML HTTP HTTPS IDE IMAP IMPORTANT INSERT INTO IP ISO JOIN JPEG JPG JS
   JSON JSONL JWT KPI KPIS LAN LATEX LF LIMIT LLM LLMS MCP MD ML MUST MVP NAN NDJSON NLP NOT NOTE
   NULL OCR OK OKR OKRS OPTIONS OR ORDER ORM OS PATCH PDF PDFS PHP PNG POST PPTX PR PRS PUT QA
   RAG RAM README REGEX REPL REST RFC ROI RPC RSA RSS SAAS SDK SELECT SEO SHA SLA SMTP SOAP SQL
   SSD SSE SSH SSL STT SVG TCP TLS TODO TSV TSX TTL TTS TXT UDP UI ULID UNION UPDATE URI URL URLS
   USB UTC UTF UUID UX VALUES VPN WARN WHERE WIP XLSX XML XSS YAML YML ZIP Arabic Bengali
   Bulgarian Catalan Chinese Croatian Czech Danish Dutch English Estonian Finnish French German
   Greek Gujarati Hebrew Hindi Hungarian Icelandic Indonesian Irish Italian Japanese Korean Latin
   Latvian Lithuanian Malay Mandarin Marathi Norwegian Persian Polish Portuguese Punjabi Romanian
   Russian Serbian Slovak Slovenian Spanish Swahili Swedish Tamil Telugu Thai Turkish Ukrainian
   Urdu Vietnamese Welsh Mio Mrd`.split(/\s+/),
);
