import { isServiceError } from '@witan/contracts';
import type { JsonObject } from '@witan/dialects';
import { cleanText } from '../../answer/clean-text.ts';
import type { TokenUsage } from '../../model/model-call.ts';
import { addUsage, NO_USAGE } from '../../turn/add-usage.ts';
import type { Synthesis } from '../debate.ts';
import { anonymise } from './anonymise.ts';
import { describeSynthesisTask, OPEN_QUESTIONS_MAX } from './describe-synthesis-task.ts';
import { findProseError } from './find-prose-error.ts';
import { renderCouncil } from './render-council.ts';
import { renderCamps, renderDissent, renderOpening, renderUncounted } from './render-report.ts';
import { resolveMarks } from './resolve-marks.ts';
import type { SynthesisSource } from './synthesis-source.ts';
import { tallyVotes } from './tally-votes.ts';
import { writeTemplate } from './write-template.ts';

/** One try to have a synthesis written. */
export type SynthesisPrompt = {
  system: string;
  /** As the person wrote it: code and data in it stay what they are. */
  question: string;
  table: string;
  /** What was wrong with the answer before; to be said behind the table. */
  problem?: string;
  /**
   * What the certificate of this call is to commit to, given the object that the model answered;
   * undefined: it answered none.
   */
  toContent: (object: JsonObject | undefined) => string;
};

/** Rejects with a ServiceError when no model answers; anything else is a bug. */
export type AskForSynthesis = (prompt: SynthesisPrompt) => Promise<{
  object: JsonObject | undefined;
  proofIds: readonly string[];
  usage: TokenUsage;
}>;

export type Synthesized = {
  synthesis: Synthesis;
  /** Of every call, in order. */
  proofIds: readonly string[];
  usage: TokenUsage;
};

const ATTEMPTS = 2;
const OPEN_QUESTION_LENGTH_MAX = 500;

/**
 * The synthesis of a debate (docs/life-of-a-debate.md): decisions and dissent by counting, prose by
 * a model that sees the counted table without names. A prose that does not stand up is asked for
 * once more, with its fault; after that, or when no model answers, rules write it. What the message
 * says of convergence, dissent and absence is never the model's. Rejects when `signal` aborts: the
 * debate goes on elsewhere. Without a signal, CANCELLED is taken for that.
 */
export const synthesize = async (
  source: SynthesisSource,
  ask: AskForSynthesis,
  { signal }: { signal?: AbortSignal } = {},
): Promise<Synthesized> => {
  const drafts = createDrafts(source);
  let problem: string | undefined;
  let usage = NO_USAGE;
  const proofIds: string[] = [];
  for (let left = ATTEMPTS; left > 0; left -= 1) {
    const isLast = left === 1;
    const prompt = {
      ...drafts.prompt,
      ...(problem === undefined ? {} : { problem }),
      toContent: (object: JsonObject | undefined) => drafts.toContent(object, isLast),
    };
    const response = await tryAsk(ask, prompt, signal);
    if (!response) break;
    usage = addUsage(usage, response.usage);
    proofIds.push(...response.proofIds);
    const draft = drafts.read(response.object);
    if ('synthesis' in draft) return { synthesis: draft.synthesis, proofIds, usage };
    problem = draft.problem;
  }
  return { synthesis: drafts.template, proofIds, usage };
};

const tryAsk = async (
  ask: AskForSynthesis,
  prompt: SynthesisPrompt,
  signal: AbortSignal | undefined,
) => {
  try {
    return await ask(prompt);
  } catch (error) {
    if (!isServiceError(error)) throw error;
    // A try that ran out of time is cancelled too.
    if (signal ? signal.aborted : error.reason === 'CANCELLED') throw error;
    return undefined;
  }
};

type Draft = { synthesis: Synthesis } | { problem: string };

/** Everything that a synthesis is made of, but for the model. */
const createDrafts = (source: SynthesisSource) => {
  const { issues, rounds } = source;
  const { answers, convergenceScore } = rounds.at(-1)!;
  const tally = tallyVotes(answers, issues);
  const members = anonymise(answers, source.seed);
  const cast = { members, issues };
  const { question } = source;
  const table = renderCouncil(source, { members, tally });
  const material = `${question}\n${table}`;

  const complete = (prose: string, rest: Pick<Synthesis, 'openQuestions' | 'isFromTemplate'>) => ({
    content: [
      [renderOpening(source), prose].filter((text) => text !== '').join(' '),
      renderDissent(tally.dissent, { issues, answers }),
      renderCamps(tally.camps, { issues, answers }),
      renderUncounted(tally, source.absentAgents),
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

  const read = (object: JsonObject | undefined): Draft => {
    const prose = proseOf(object);
    const problem = object
      ? findProseError(prose, { cast, tally, material })
      : 'it was no JSON object';
    if (problem !== undefined)
      return { problem: `Your last answer cannot be used: ${problem}. ${AGAIN}` };
    const openQuestions = readOpenQuestions(object!).map((text) => resolveMarks(text, cast));
    const text = resolveMarks(prose, cast);
    return { synthesis: complete(text, { openQuestions, isFromTemplate: false }) };
  };

  const { prose, openQuestions } = writeTemplate(source, tally);
  const template = complete(prose, { openQuestions, isFromTemplate: true });
  const toContent = (object: JsonObject | undefined, isLast: boolean): string => {
    const draft = read(object);
    if ('synthesis' in draft) return draft.synthesis.content;
    // Behind the last one the template is what the client gets.
    return isLast ? template.content : proseOf(object);
  };
  const prompt = { system: describeSynthesisTask(), question, table };
  return { prompt, read, template, toContent };
};

const AGAIN = 'Write the whole JSON object again, without that.';

const proseOf = (object: JsonObject | undefined): string => {
  const content = object?.['content'];
  return typeof content === 'string' ? cleanText(content, content.length) : '';
};

const readOpenQuestions = (object: JsonObject): string[] => {
  const questions = object['openQuestions'];
  if (!Array.isArray(questions)) return [];
  return questions
    .map((text) => (typeof text === 'string' ? cleanText(text, OPEN_QUESTION_LENGTH_MAX) : ''))
    .filter((text) => text !== '')
    .slice(0, OPEN_QUESTIONS_MAX);
};
