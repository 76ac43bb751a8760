import { ServiceError } from '@witan/contracts';
import type { DialectName, RoutingSignals } from '@witan/dialects';
import type { RoutingReason, TaskType } from '@witan/proof';
import { classifyTask } from './classify-task.ts';
import { judgeComplexity } from './judge-complexity.ts';
import { orderTargets } from './order-targets.ts';
import { LOCAL_PROVIDER, toTarget } from './target.ts';
import type { Target } from './target.ts';
import type { Wanted } from './to-wanted.ts';

/** Who may answer a call, best first, and why. */
export type Route = {
  /** At least one. */
  targets: readonly Target[];
  /** What is asked stays on the machine, so nothing of it is masked. */
  isLocal: boolean;
  taskType: TaskType;
  reason: RoutingReason;
};

/** What there is to choose from, for one workspace. */
export type RouteSettings = {
  workspaceId: string;
  /** Dialect of each provider that the workspace may use, by name. */
  dialects: ReadonlyMap<string, DialectName>;
  aliases: ReadonlyMap<string, readonly Target[]>;
  /** Best first; at least one. */
  full: readonly Target[];
  /** Best first; at least one. */
  cheap: readonly Target[];
  /** Best first; at least one. For what our own services extract. */
  small: readonly Target[];
  /** Who processes what must not leave the machine; undefined when nobody can. */
  local: Target | undefined;
  /** True when the local runtime offers the model that was asked for. */
  isLocalModel: boolean;
};

/** What is known of a call beside its address and its looks. */
export type RouteContext = {
  /** It holds something grave, or is a record of people. */
  isSensitive: boolean;
  /** What it is for, when a service of ours says so. */
  purpose?: TaskType | undefined;
};

/** Names that belong to a provider (running.md, Model names). */
const OWNED_MODELS: readonly (readonly [RegExp, string])[] = [
  [/^(gpt-|chatgpt-|o\d)/, 'openai'],
  [/^claude-/, 'anthropic'],
];

/**
 * Decides who answers. The address says most; `service-auto`, and every name that nobody owns, is
 * decided by what the call looks like. Of those, a call that is sensitive stays on the machine
 * where something there can answer. Every model name
 * is accepted: the certificate records what was asked and what ran. Throws
 * LOCAL_RUNTIME_UNAVAILABLE for a call that must stay on the machine when nothing there can answer.
 */
export const chooseRoute = (
  wanted: Wanted,
  signals: RoutingSignals,
  settings: RouteSettings & RouteContext,
): Route => {
  const taskType = settings.purpose ?? classifyTask(signals);
  if (mustStayLocal(wanted)) {
    return stayLocal(chooseLocal(wanted, settings), taskType);
  }
  const named = wanted.kind === 'model' ? findNamed(wanted.model, settings) : undefined;
  if (named) {
    const targets = order(named.targets, signals, settings);
    return { targets, isLocal: false, taskType, reason: named.reason };
  }
  const mustStay = settings.isSensitive && wanted.kind !== 'service-agent';
  if (mustStay && settings.local) return stayLocal(settings.local, taskType);
  // What a service of ours extracts asks for no more, however much there is to read.
  const isExtraction = settings.purpose === 'extraction';
  const complexity = isExtraction ? 'simple' : judgeComplexity(signals, taskType);
  const isFull = wanted.kind === 'service-agent' || complexity !== 'simple';
  const simple = isExtraction ? settings.small : settings.cheap;
  const targets = order(isFull ? settings.full : simple, signals, settings);
  const reason = mustStay ? 'sensitive_masked_no_local' : reasonOf(wanted, complexity);
  return { targets, isLocal: false, taskType, reason };
};

/** Whether what a call looks like decides who answers: only then it matters what it holds. */
export const isRouted = (wanted: Wanted, settings: RouteSettings): boolean =>
  !mustStayLocal(wanted) &&
  wanted.kind !== 'service-agent' &&
  !(wanted.kind === 'model' && findNamed(wanted.model, settings));

/** What the caller has said must not leave the machine. */
const mustStayLocal = ({ kind, sensitive }: Wanted): boolean =>
  kind === 'service-sensitive' || sensitive;

const stayLocal = (target: Target, taskType: TaskType): Route => ({
  targets: [target],
  isLocal: true,
  taskType,
  reason: 'sensitive_local',
});

const findNamed = (
  model: string,
  { aliases, dialects, isLocalModel }: RouteSettings,
): { targets: readonly Target[]; reason: RoutingReason } | undefined => {
  const alias = aliases.get(model);
  if (alias) return { targets: alias, reason: 'alias' };
  const owner = findOwner(model);
  if (owner && dialects.has(owner)) {
    return { targets: [toTarget(owner, model)], reason: 'passthrough' };
  }
  return isLocalModel
    ? { targets: [toTarget(LOCAL_PROVIDER, model)], reason: 'passthrough' }
    : undefined;
};

/** The hosted provider that a model's name belongs to, whether it is configured or not. */
export const findOwner = (model: string): string | undefined =>
  OWNED_MODELS.find(([pattern]) => pattern.test(model))?.[1];

/** As much of the first user turn as names a conversation, in UTF-16 units. */
const OPENING_LENGTH_MAX = 65_536;

const order = (
  targets: readonly Target[],
  { openingText, hasSignedReasoning }: RoutingSignals,
  settings: RouteSettings,
): Target[] => {
  if (targets.length === 1) return [...targets];
  const opening = openingText.slice(0, OPENING_LENGTH_MAX);
  const conversation = JSON.stringify([settings.workspaceId, opening]);
  const ordered = orderTargets(targets, conversation);
  return hasSignedReasoning ? preferSignatureDialect(ordered, settings) : ordered;
};

/**
 * A seal is worth something only to those who speak the dialect with seals: they come first, and
 * when there are any, nobody else is asked.
 */
const preferSignatureDialect = (targets: Target[], { dialects }: RouteSettings): Target[] => {
  const supporting = targets.filter(({ provider }) => dialects.get(provider) === 'messages');
  return supporting.length > 0 ? supporting : targets;
};

const reasonOf = (
  { kind }: Wanted,
  complexity: ReturnType<typeof judgeComplexity>,
): RoutingReason => {
  if (kind === 'service-agent') return 'forced';
  // A name that nobody owns; which of the two models ran is in the certificate.
  return kind === 'model' ? 'default_provider' : complexity;
};

const chooseLocal = ({ model }: Wanted, { local, isLocalModel }: RouteSettings): Target => {
  if (local && isLocalModel) return { ...local, model };
  if (local) return local;
  throw new ServiceError(
    'LOCAL_RUNTIME_UNAVAILABLE',
    'This address keeps the call on the machine, and no local runtime is configured: set ' +
      'LOCAL_BASE_URL (for example to an Ollama or llama.cpp server).',
  );
};
