import { isServiceError } from '@witan/contracts';
import { addUsage, NO_USAGE } from '@witan/dialects';
import type { JsonObject, TokenUsage } from '@witan/dialects';
import { cleanText } from '../../prompt/to-one-line.ts';
import type { Synthesis, TemplateReason } from '../debate.ts';
import { anonymise } from './render-council.ts';
import { describeSynthesisTask, OPEN_QUESTIONS_MAX } from './render-council.ts';
import { contentWordsOf } from './choose-point.ts';
import { findProseError } from './find-prose-error.ts';
import { renderCouncil } from './render-council.ts';
import {
  renderCamps,
  renderContradictions,
  renderDissent,
  renderFirmness,
  renderUncounted,
  WRITTEN_BY_RULES,
} from './render-report.ts';
import { resolveMarks } from './resolve-marks.ts';
import type { SynthesisSource } from './render-council.ts';
import { tallyVotes } from './tally-votes.ts';
import { renderVerdicts, writeTemplate } from './write-template.ts';

export type SynthesisPrompt = {
  system: string;
  /** Question of the user, sent unchanged, because it can contain code or data. */
  question: string;
  table: string;
  /** Reason why the model's previous text was rejected; it is appended to the table. */
  problem?: string;
  /**
   * Returns the text to which the certificate of the call commits. `object` is the model's parsed
   * answer, or undefined if it could not be parsed.
   */
  toContent: (object: JsonObject | undefined, isOffline: boolean) => string;
};

/**
 * Asks a model for a synthesis. Rejects with a ServiceError if no model answers; other errors are
 * bugs.
 */
export type AskForSynthesis = (prompt: SynthesisPrompt) => Promise<{
  object: JsonObject | undefined;
  /** True if no provider is configured, so that the offline provider answered. */
  isOffline: boolean;
  proofIds: readonly string[];
  usage: TokenUsage;
}>;

export type Synthesized = {
  synthesis: Synthesis;
  proofIds: readonly string[];
  usage: TokenUsage;
};

const ATTEMPTS = 2;
const OPEN_QUESTION_LENGTH_MAX = 500;

/**
 * Writes the synthesis of a debate (docs/life-of-a-debate.md): verdicts and dissent are counted,
 * and a model that sees the counts without names writes the prose. Invalid prose is retried once
 * with a description of the problem; if the retry is invalid, too, or no model answers, a template
 * is used. Verdicts, convergence, dissent and absence are always written by code. Rejects if
 * `signal` has aborted when a call fails, so that another process can continue the debate.
 */
export const synthesize = async (
  source: SynthesisSource,
  ask: AskForSynthesis,
  { signal }: { signal: AbortSignal },
): Promise<Synthesized> => {
  const drafts = createDrafts(source);
  let problem: string | undefined;
  let reason: TemplateReason = 'unavailable';
  let usage = NO_USAGE;
  const proofIds: string[] = [];
  for (let left = ATTEMPTS; left > 0; left -= 1) {
    const isLast = left === 1;
    const prompt = {
      ...drafts.prompt,
      ...(problem === undefined ? {} : { problem }),
      toContent: (object: JsonObject | undefined, isOffline: boolean) =>
        drafts.toContent(object, { isLast, isOffline }),
    };
    const response = await askOrUndefined(ask, prompt, signal);
    if (!response) break;
    usage = addUsage(usage, response.usage);
    proofIds.push(...response.proofIds);
    const draft = drafts.read(response.object, response.isOffline);
    if ('synthesis' in draft) return { synthesis: draft.synthesis, proofIds, usage };
    ({ problem, reason } = draft);
    if (response.isOffline) break;
  }
  return { synthesis: drafts.template(reason), proofIds, usage };
};

const askOrUndefined = async (
  ask: AskForSynthesis,
  prompt: SynthesisPrompt,
  signal: AbortSignal,
) => {
  try {
    return await ask(prompt);
  } catch (error) {
    if (!isServiceError(error)) throw error;
    // Calls that time out also fail with CANCELLED, so the signal decides whether the caller
    // aborted.
    if (signal.aborted) throw error;
    return undefined;
  }
};

type Draft = { synthesis: Synthesis } | { problem: string; reason: TemplateReason };

const createDrafts = (source: SynthesisSource) => {
  const { issues, rounds } = source;
  const { answers, convergenceScore } = rounds.at(-1)!;
  const tally = tallyVotes(answers, issues);
  const members = anonymise(answers, source.seed);
  const targets = { members, issues };
  const { question } = source;
  const table = renderCouncil(source, { members, tally });
  const material = `${question}\n${table}`;

  const complete = (
    prose: string,
    rest: Pick<Synthesis, 'openQuestions' | 'isFromTemplate' | 'templateReason'>,
  ): Synthesis => ({
    content: [
      renderVerdicts(tally, answers),
      renderFirmness(source),
      prose,
      renderDissent(tally.dissent, { issues, answers }),
      renderCamps(tally.camps, { issues, answers }),
      renderContradictions(tally, issues),
      renderUncounted(answers, source.absentAgents),
      rest.templateReason ? WRITTEN_BY_RULES[rest.templateReason] : '',
    ]
      .filter((text) => text !== '')
      .join('\n\n'),
    ...tally,
    ...rest,
    convergenceScore,
    rounds: rounds.length,
    absentAgents: source.absentAgents,
    stoppedBy: source.stoppedBy,
  });

  const read = (object: JsonObject | undefined, isOffline: boolean): Draft => {
    if (isOffline) return { problem: '', reason: 'no_provider' };
    const prose = proseOf(object);
    const error = object ? findProseError(prose, { targets, tally, material }) : NO_OBJECT;
    if (error !== undefined) {
      const problem = `Your last answer cannot be used: ${error.problem}. ${RETRY_INSTRUCTION}`;
      return { problem, reason: error.reason };
    }
    const openQuestions = readOpenQuestions(object!)
      .filter((text) => !repeatsDecision(text, source))
      .map((text) => resolveMarks(text, targets));
    const text = resolveMarks(prose, targets);
    return { synthesis: complete(text, { openQuestions, isFromTemplate: false }) };
  };

  const { prose, openQuestions } = writeTemplate(source, tally);
  const template = (templateReason: TemplateReason): Synthesis =>
    complete(prose, { openQuestions, isFromTemplate: true, templateReason });
  const toContent = (
    object: JsonObject | undefined,
    { isLast, isOffline }: { isLast: boolean; isOffline: boolean },
  ): string => {
    const draft = read(object, isOffline);
    if ('synthesis' in draft) return draft.synthesis.content;
    return isLast || isOffline ? template(draft.reason).content : proseOf(object);
  };
  const prompt = { system: describeSynthesisTask(), question, table };
  return { prompt, read, template, toContent };
};

const NO_OBJECT = { reason: 'form', problem: 'it was no JSON object' } as const;

const RETRY_INSTRUCTION = 'Write the whole JSON object again, without that.';

const proseOf = (object: JsonObject | undefined): string => {
  const content = object?.['content'];
  return typeof content === 'string' ? cleanText(content, content.length) : '';
};

const readOpenQuestions = (object: JsonObject): string[] => {
  const questions = object['openQuestions'];
  if (!Array.isArray(questions)) return [];
  const texts = questions.map((text) =>
    typeof text === 'string' ? cleanText(text, OPEN_QUESTION_LENGTH_MAX) : '',
  );
  return [...new Set(texts)].filter((text) => text !== '').slice(0, OPEN_QUESTIONS_MAX);
};

/** The question itself, or a proposition on which the council has voted, is not left open. */
const repeatsDecision = (text: string, { question, issues }: SynthesisSource): boolean => {
  const words = [...contentWordsOf(text)];
  return [question, ...issues.map(({ proposition }) => proposition)].some((voted) => {
    const known = contentWordsOf(voted);
    return known.size > 0 && words.length >= known.size && words.every((word) => known.has(word));
  });
};
