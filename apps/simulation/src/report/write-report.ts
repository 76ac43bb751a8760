import { isServiceError, OFFLINE_MODEL } from '@witan/contracts';
import { collectAnswer, describeJsonError, isCutOff, readJsonAnswer } from '@witan/dialects';
import type { Caller, OpenCall, Prompt, CallResult } from '@witan/dialects';
import { AUTO, LOCAL, toRetryPrompt } from '../model/to-retry-prompt.ts';
import type { RunForecast } from '../simulation/forecast-scenario.ts';
import { computeReport } from './compute-report.ts';
import type { ReportedSimulation } from './compute-report.ts';
import {
  describeRetry,
  describeProseErrors,
  describeReportTask,
  readProse,
  REPORT_SCHEMA,
} from './describe-report-task.ts';
import { findAdviceErrors, findCopiedFacts } from './number-lock/find-advice-errors.ts';
import { findMoveErrors } from './number-lock/find-move-errors.ts';
import { findNumberErrors } from './number-lock/find-number-errors.ts';
import type { NumberLock } from './number-lock/find-number-errors.ts';
import { normalizeProse } from './number-lock/split-tokens.ts';
import type { Prose } from './describe-report-task.ts';
import type { Report, TemplateReason } from '../simulation/simulation.ts';
import { toFigureTable } from './compute-figures.ts';

export type WriteReportDeps = {
  openCall: OpenCall;
  runForecast: RunForecast;
  newId: (prefix: string) => string;
  /** Receives the reason why prose was rejected, never the model's text. */
  onRejected: (reason: string, simulationId: string) => void;
};

/**
 * Writes the report of a simulation.
 * 1. Figures are computed from the states and from a forecast of one year, and key decisions by
 *    replaying the turns without them.
 * 2. A model writes prose that may contain only numbers of the figures, only moves of levers and
 *    figures that were made, and no advice against the effects of the decisions; each one is
 *    checked. If the prose is rejected, the model is called once more with the errors.
 * 3. If that prose is rejected, too, or a call fails with an error that a later call would hardly
 *    avoid, or no provider is configured, the report is written by rules.
 *
 * If a panel was local-only, only the local runtime receives the prompt. Rejects with errors after
 * which a later call can succeed, such as missing credit.
 */
export const writeReport = async (
  reported: ReportedSimulation,
  callOptions: { caller: Caller; requestSha256: string },
  deps: WriteReportDeps,
): Promise<Report> => {
  const { simulation, histories } = reported;
  const computed = await computeReport(reported, callOptions.caller.signal, deps);
  const { figures, decisions, keyDecisions, template, language } = computed;
  const names = [simulation.name, ...histories.map(({ scenario }) => scenario.name)];
  const checks = { figures, names: names.map(normalizeProse), language, histories, decisions };
  const prompt = describeReportTask({ simulation, histories, ...computed });
  const writtenProse = await askForProse(
    { prompt, checks, keyDecisions, staysLocal: reported.staysLocal },
    callOptions,
    {
      ...deps,
      onRejected: (reason) => deps.onRejected(reason, simulation.id),
    },
  );
  const { proofIds } = writtenProse;
  const [prose, templateReason] =
    'prose' in writtenProse
      ? [writtenProse.prose, undefined]
      : [template, writtenProse.templateReason];
  const notice = templateReason === 'no_provider' ? `${computed.noProviderNotice} ` : '';
  return {
    summary: notice + prose.summary,
    keyDecisions,
    risks: prose.risks,
    recommendations: prose.recommendations,
    facts: toFigureTable({ simulation, ...computed, histories }),
    proofIds,
    templateReason,
  };
};

type ProseChecks = NumberLock &
  Parameters<typeof findMoveErrors>[1] &
  Parameters<typeof findAdviceErrors>[1];

type ProseRequest = {
  prompt: Prompt;
  checks: ProseChecks;
  keyDecisions: readonly string[];
  staysLocal: boolean;
};
type WrittenProse = { proofIds: readonly string[] } & (
  | { prose: Prose }
  | { templateReason: TemplateReason }
);

const askForProse = async (
  request: ProseRequest,
  callOptions: { caller: Caller; requestSha256: string },
  deps: Omit<WriteReportDeps, 'onRejected'> & { onRejected: (reason: string) => void },
): Promise<WrittenProse> => {
  const proofIds: string[] = [];
  let { prompt } = request;
  let templateReason: TemplateReason = 'unavailable';
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const answer = await callForProse({ ...request, prompt }, callOptions, deps);
    if (!answer) break;
    const { value, proofId } = answer;
    proofIds.push(proofId);
    if ('prose' in value) return { prose: value.prose, proofIds };
    deps.onRejected(value.kind);
    templateReason = value.kind;
    if (templateReason === 'no_provider') break;
    prompt = toRetryPrompt(request.prompt, { ...answer, instruction: describeRetry(value.error) });
  }
  return { templateReason, proofIds };
};

const ATTEMPTS = 2;

type ReadProse = { prose: Prose } | { error: string; kind: Exclude<TemplateReason, 'unavailable'> };

/**
 * Asks a model for the prose. Returns undefined if the call failed with an error that a later call
 * would hardly avoid. Rejects with other errors, because a report written by rules would be final.
 */
const callForProse = async (
  { prompt, checks, keyDecisions, staysLocal }: ProseRequest,
  { caller, requestSha256 }: { caller: Caller; requestSha256: string },
  { openCall, newId, onRejected }: WriteReportDeps & { onRejected: (reason: string) => void },
): Promise<CallResult<ReadProse> | undefined> => {
  const proofId = newId('pf');
  const address = staysLocal ? LOCAL : AUTO;
  const call = { proofId, requestSha256, purpose: 'simulation' as const, address, prompt };
  const read = (raw: string, received: { finishReason: string; model: string }) => {
    const value = readAnswer(raw, received, checks);
    const content = 'prose' in value ? encodeReport(value.prose, keyDecisions) : '';
    return { content, value };
  };
  try {
    return await collectAnswer(call, caller, { openCall, read });
  } catch (error) {
    if (caller.signal.aborted || !isServiceError(error)) throw error;
    if (isRetryableLater(error)) throw error;
    onRejected(error.reason);
    return undefined;
  }
};

/**
 * Returns true for missing credit and unavailable services. Then no report should be written by
 * rules, because it would be final, whereas a model can write it later.
 */
export const isRetryableLater = (error: unknown): boolean =>
  isServiceError(error) && RETRYABLE_LATER.has(error.reason);

const RETRYABLE_LATER: ReadonlySet<string> = new Set([
  'INSUFFICIENT_QUOTA',
  'UNAVAILABLE',
  'LEDGER_UNAVAILABLE',
]);

const readAnswer = (
  raw: string,
  { finishReason, model }: { finishReason: string; model: string },
  checks: ProseChecks,
): ReadProse => {
  if (model === OFFLINE_MODEL) return { error: 'no model wrote it', kind: 'no_provider' };
  const read = readJsonAnswer(raw, { isCut: isCutOff(finishReason), schema: REPORT_SCHEMA });
  if ('error' in read) return { error: describeJsonError(read.error), kind: 'form' };
  const prose = readProse(read.object);
  if ('error' in prose) return { ...prose, kind: 'form' };
  const { summary, risks, recommendations } = prose.prose;
  const entries = [...risks, ...recommendations];
  const numbers = [summary, ...entries].flatMap((text) => findNumberErrors(text, checks));
  const statements = [
    ...[summary, ...entries].flatMap((text) => findMoveErrors(text, checks)),
    ...entries.flatMap((text) => findCopiedFacts(text, checks.figures)),
    ...recommendations.flatMap((text) => findAdviceErrors(text, checks)),
  ];
  const errors = [...numbers, ...statements];
  if (errors.length === 0) return prose;
  const kind = numbers.length > 0 ? 'numbers' : 'figures';
  return { error: describeProseErrors(errors), kind };
};

/**
 * Returns the JSON text to which the certificate commits. The order of its members must not change.
 */
const encodeReport = ({ summary, ...prose }: Prose, keyDecisions: readonly string[]): string => {
  const { risks, recommendations } = prose;
  return JSON.stringify({ summary, keyDecisions, risks, recommendations });
};
