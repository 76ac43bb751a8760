import { hash } from 'node:crypto';
import { ServiceError } from '@witan/contracts';
import type { Address } from '@witan/contracts';
import { readModelAddress } from '@witan/dialects';
import type { EndpointName, RoutingSignals } from '@witan/dialects';
import type { RoutingReason, TaskType } from '@witan/proof';
import { LOCAL_PROVIDER, toTarget } from '../provider/provider.ts';
import type { Target } from '../provider/provider.ts';

export type Route = {
  targets: readonly Target[];
  isLocal: boolean;
  taskType: TaskType;
  reason: RoutingReason;
};

/**
 * Targets that one workspace may use. Each list has at least one target, in order of preference.
 */
export type RouteSettings = {
  workspaceId: string;
  dialects: ReadonlyMap<string, readonly EndpointName[]>;
  aliases: ReadonlyMap<string, readonly Target[]>;
  full: readonly Target[];
  cheap: readonly Target[];
  /** Targets for extraction requests of Witan's own services. */
  small: readonly Target[];
  local: Target | undefined;
  /** Targets of the requested model, if the operator's providers file lists it. */
  listed: readonly Target[];
  isLocalModel: boolean;
  /** Targets for embeddings whose address names no model; may be empty. */
  embedding: readonly Target[];
  localEmbedding: Target | undefined;
};

type RouteContext = {
  isSensitive: boolean;
  /** Task type, if one of Witan's services stated it. */
  purpose?: TaskType | undefined;
};

const PROVIDERS_BY_MODEL_NAME: readonly (readonly [RegExp, string])[] = [
  [/^(gpt-|chatgpt-|o\d|text-embedding-)/, 'openai'],
  [/^claude-/, 'anthropic'],
];

/**
 * Chooses the targets. The address decides first. A call to `service-auto`, or to a name that is
 * neither an alias nor a model of a known provider, is routed by its signals; if it is sensitive,
 * it is routed to the local runtime, if one is configured. Every model name is accepted: the
 * certificate records the requested and the used model. Throws LOCAL_RUNTIME_UNAVAILABLE for a call
 * that must stay local without a local runtime.
 */
export const chooseRoute = (
  routingAddress: RoutingAddress,
  signals: RoutingSignals,
  settings: RouteSettings & RouteContext,
): Route => {
  const taskType = settings.purpose ?? classifyTask(signals);
  if (mustStayLocal(routingAddress)) {
    return toLocalRoute(chooseLocal(routingAddress, settings), taskType);
  }
  const named =
    routingAddress.kind === 'model' ? findNamed(routingAddress.model, settings) : undefined;
  if (named) {
    const targets = order(named.targets, signals, settings);
    return { targets, isLocal: false, taskType, reason: named.reason };
  }
  const mustStay = settings.isSensitive && routingAddress.kind !== 'service-agent';
  if (mustStay && settings.local) return toLocalRoute(settings.local, taskType);
  // Extraction requests of Witan's own services use the small model, whatever their length, and
  // embeddings have one model only.
  const isExtraction = settings.purpose === 'extraction';
  const isSimple = isExtraction || taskType === 'embedding';
  const complexity = isSimple ? 'simple' : judgeComplexity(signals, taskType);
  const isFull = routingAddress.kind === 'service-agent' || complexity !== 'simple';
  const simple = isExtraction ? settings.small : settings.cheap;
  const targets = order(isFull ? settings.full : simple, signals, settings);
  const reason = mustStay ? 'sensitive_masked_no_local' : reasonOf(routingAddress, complexity);
  return { targets, isLocal: false, taskType, reason };
};

/** Returns the settings for a route of embeddings, which other models make. */
export const toEmbeddingSettings = (settings: RouteSettings): RouteSettings => {
  const { embedding, localEmbedding, isLocalModel, local } = settings;
  return {
    ...settings,
    full: embedding,
    cheap: embedding,
    small: embedding,
    local: localEmbedding ?? (isLocalModel ? local : undefined),
  };
};

/**
 * Returns whether the call's signals decide the route; only then does its sensitivity affect it.
 */
export const isRoutedBySignals = (
  routingAddress: RoutingAddress,
  settings: RouteSettings,
): boolean =>
  !mustStayLocal(routingAddress) &&
  routingAddress.kind !== 'service-agent' &&
  !(routingAddress.kind === 'model' && findNamed(routingAddress.model, settings));

const mustStayLocal = ({ kind, sensitive }: RoutingAddress): boolean =>
  kind === 'service-sensitive' || sensitive;

const toLocalRoute = (target: Target, taskType: TaskType): Route => ({
  targets: [target],
  isLocal: true,
  taskType,
  reason: 'sensitive_local',
});

const findNamed = (
  model: string,
  { aliases, dialects, listed, isLocalModel }: RouteSettings,
): { targets: readonly Target[]; reason: RoutingReason } | undefined => {
  const alias = aliases.get(model);
  if (alias) return { targets: alias, reason: 'alias' };
  if (listed.length > 0) return { targets: listed, reason: 'passthrough' };
  const impliedProvider = findProviderOfModel(model);
  if (impliedProvider && dialects.has(impliedProvider)) {
    return { targets: [toTarget(impliedProvider, model)], reason: 'passthrough' };
  }
  return isLocalModel
    ? { targets: [toTarget(LOCAL_PROVIDER, model)], reason: 'passthrough' }
    : undefined;
};

export const findProviderOfModel = (model: string): string | undefined =>
  PROVIDERS_BY_MODEL_NAME.find(([pattern]) => pattern.test(model))?.[1];

/** Length of the part of the first user turn that identifies a conversation, in UTF-16 units. */
const OPENING_LENGTH_MAX = 65_536;

const order = (
  targets: readonly Target[],
  { openingText, hasSignedReasoning, signingDialect = 'messages' }: RoutingSignals,
  settings: RouteSettings,
): Target[] => {
  if (targets.length === 1) return [...targets];
  const opening = openingText.slice(0, OPENING_LENGTH_MAX);
  const conversation = JSON.stringify([settings.workspaceId, opening]);
  const ordered = orderTargets(targets, conversation);
  return hasSignedReasoning ? preferDialect(ordered, signingDialect, settings) : ordered;
};

/**
 * Drops the targets that cannot use signed reasoning, unless that leaves none: those that do not
 * speak the dialect in which it was signed.
 */
const preferDialect = (
  targets: Target[],
  dialect: EndpointName,
  { dialects }: RouteSettings,
): Target[] => {
  const supporting = targets.filter(({ provider }) => dialects.get(provider)?.includes(dialect));
  return supporting.length > 0 ? supporting : targets;
};

const reasonOf = (
  { kind }: RoutingAddress,
  complexity: ReturnType<typeof judgeComplexity>,
): RoutingReason => {
  if (kind === 'service-agent') return 'forced';
  // A model name that implies no provider uses the default models; the certificate states which
  // model ran.
  return kind === 'model' ? 'default_provider' : complexity;
};

const chooseLocal = ({ model }: RoutingAddress, { local, isLocalModel }: RouteSettings): Target => {
  if (local && isLocalModel) return { ...local, model };
  if (local) return local;
  throw new ServiceError(
    'LOCAL_RUNTIME_UNAVAILABLE',
    'This address keeps the call on the machine, and no local runtime is configured: set ' +
      'LOCAL_BASE_URL (for example to an Ollama or llama.cpp server).',
  );
};

/**
 * Returns the targets in the order of attempts. Without weights that is the list's order. With
 * weights the first one is drawn by a hash of the conversation, so that later turns start at the
 * same target, which has the prompt cache and signed reasoning, without stored state. The others
 * follow in the list's order.
 */
export const orderTargets = (targets: readonly Target[], conversation: string): Target[] => {
  const total = targets.reduce((sum, { weight }) => sum + weight, 0);
  if (total === 0) return [...targets];
  let remaining = drawNumber(total, conversation);
  const first = targets.find(({ weight }) => (remaining -= weight) < 0)!;
  return [first, ...targets.filter((target) => target !== first)];
};

const drawNumber = (limit: number, text: string): number =>
  Number.parseInt(hash('sha256', text, 'hex').slice(0, 12), 16) % limit;

type RoutingAddress = Pick<Address, 'kind' | 'model' | 'sensitive'>;

/**
 * Returns the address that decides the route: for an agent its preferred model, or the full model
 * if it prefers none. A call that must stay local stays local, whatever its agent prefers. Throws
 * INVALID_REQUEST for an invalid preferred model.
 */
export const toRoutingAddress = ({ kind, model, sensitive }: RoutingAddress): RoutingAddress => {
  if (kind !== 'agent') return { kind, model, sensitive };
  if (model === '') return { kind: 'service-agent', model, sensitive };
  const preferred = readModelAddress(model);
  const named = preferred.kind === 'model' ? preferred.name : '';
  return { kind: preferred.kind, model: named, sensitive: sensitive || preferred.sensitive };
};

/**
 * Only this much of the beginning and of the end of a long request is read, in UTF-16 units: a
 * request states there what it wants. The patterns see client input, so they have no unbounded gap,
 * which would backtrack quadratically.
 */
const READ_LENGTH = 8_000;

const toWholeWordPattern = (...patterns: readonly string[]): RegExp =>
  new RegExp(String.raw`\b(?:${patterns.join('|')})\b`, 'i');

const CODE_MARKS = new RegExp(
  [
    '```',
    String.raw`^[ \t]*(?:import|from|#include|def|class|function|fn|func|public|SELECT)\b` +
      '.{0,200}[({;:]',
    '=>',
    String.raw`\bat \S{1,200}:\d`,
    String.raw`Traceback \(most`,
  ].join('|'),
  'm',
);
const CODE_WORDS = toWholeWordPattern(
  'code|function|method|class|bug|debug|refactor|compile|unit tests?|regex|sql|script|api',
  'stack trace|typescript|javascript|python|java|rust|golang|kubernetes|dockerfile',
);
/**
 * Verbs of coding requests: together with one of them, a single code word suffices to classify a
 * request as code.
 */
const CODE_REQUEST = toWholeWordPattern(
  'write|fix|implement|refactor|debug|review|optimi[sz]e|port|test',
);
const EXTRACTION_WORDS = toWholeWordPattern(
  'extract|parse|classify|categori[sz]e|label|tag|fill (?:in|out)',
  'convert .{0,100} (?:to|into) json',
);
const ANALYSIS_WORDS = toWholeWordPattern(
  'analy[sz]e|analysis|compare|contrast|evaluate|assess|trade-?offs?|pros and cons|strategy',
  'forecast|why does|explain why|derive|prove|plan|research',
  'summari[sz]e .{0,100} (?:report|paper|document)',
);

/**
 * Returns the task type by the first rule that matches. The text rules read only the last user
 * turn, which states what must be done now.
 */
export const classifyTask = (signals: RoutingSignals): TaskType => {
  const { toolCount, hasOpenToolCalls, wantsJson } = signals;
  const text = readEnds(signals.lastUserText);
  if (toolCount > 0 || hasOpenToolCalls) return 'tools';
  if (text === '') return 'other';
  if (wantsJson || EXTRACTION_WORDS.test(text)) return 'extraction';
  if (CODE_MARKS.test(text) || (CODE_WORDS.test(text) && CODE_REQUEST.test(text))) return 'code';
  if (ANALYSIS_WORDS.test(text)) return 'analysis';
  return 'chat';
};

const readEnds = (text: string): string =>
  text.length <= 2 * READ_LENGTH
    ? text
    : `${text.slice(0, READ_LENGTH)}\n${text.slice(-READ_LENGTH)}`;

type Complexity = 'simple' | 'complex' | 'harness' | 'pinned';

/**
 * Minimum length of a system prompt that counts as that of an agent harness, in UTF-16 units;
 * people usually write shorter ones.
 */
const HARNESS_SYSTEM_LENGTH = 6_000;

const HARNESS_TOOLS = 4;

const LONG_REQUEST_LENGTH = 1_200;

const LONG_PROMPT_LENGTH = 12_000;

const LONG_CONVERSATION_TURNS = 12;

const DEMANDING_TASKS: ReadonlySet<TaskType> = new Set(['code', 'analysis', 'tools']);

/**
 * Applies the rules in this order:
 * 1. `pinned`: the call carries signed reasoning or the results of open tool calls. Such a
 * conversation usually began on the full model (rules 2 and 3) and stays there.
 * 2. `harness`: many tools or a large system prompt, which agent harnesses send.
 * 3. `complex`: reasoning is requested, the task is demanding, or the prompt is long.
 * 4. `simple`: everything else.
 */
export const judgeComplexity = (signals: RoutingSignals, task: TaskType): Complexity => {
  if (signals.hasSignedReasoning || signals.hasOpenToolCalls) return 'pinned';
  const { systemText, toolCount } = signals;
  if (toolCount >= HARNESS_TOOLS || systemText.length >= HARNESS_SYSTEM_LENGTH) return 'harness';
  const isDemanding = DEMANDING_TASKS.has(task) || signals.wantsReasoning;
  const isLong =
    signals.lastUserText.length >= LONG_REQUEST_LENGTH ||
    signals.promptLength >= LONG_PROMPT_LENGTH ||
    signals.userTurns >= LONG_CONVERSATION_TURNS;
  return isDemanding || isLong ? 'complex' : 'simple';
};
