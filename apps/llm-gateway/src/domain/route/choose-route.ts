import { ServiceError } from '@witan/contracts';
import type { Address } from '@witan/contracts';
import type { RoutingReason, TaskType } from '@witan/proof';
import type { Provider } from '../completion/ports.ts';

/** Who answers a call, with which model, and why. */
export type Route = {
  provider: Provider['name'];
  model: string;
  taskType: TaskType;
  reason: RoutingReason;
};

/** What there is to choose from. */
export type RouteSettings = {
  /** Configured providers. */
  providers: ReadonlySet<Provider['name']>;
  defaultProvider: Provider['name'];
  /** The full-quality model of the default provider. */
  fullModel: string;
  /** Who processes what must not leave the machine; undefined when nobody can. */
  local: { provider: Provider['name']; model: string } | undefined;
  /** True when the local runtime offers the model that was asked for. */
  isLocalModel: boolean;
};

/** Names that belong to OpenAI: gpt-*, o1, o3-mini, chatgpt-* (running.md, Model names). */
const OPENAI_MODEL = /^(gpt-|chatgpt-|o\d)/;

/**
 * Decides by the address alone. Every model name is accepted; the certificate records what was
 * asked and what ran. Throws LOCAL_RUNTIME_UNAVAILABLE for a call that must stay on the machine
 * when nothing there can answer.
 */
export const chooseRoute = (
  address: Address,
  request: { hasTools: boolean },
  settings: RouteSettings,
): Route => {
  const taskType: TaskType = request.hasTools ? 'tools' : 'chat';
  if (address.kind === 'service-sensitive' || address.sensitive) {
    return { ...chooseLocal(address, settings), taskType, reason: 'sensitive_local' };
  }
  const { providers, defaultProvider, fullModel } = settings;
  if (address.kind === 'model') {
    const { model } = address;
    if (providers.has('openai') && OPENAI_MODEL.test(model)) {
      return { provider: 'openai', model, taskType, reason: 'passthrough' };
    }
    if (settings.isLocalModel) {
      return { provider: 'local', model, taskType, reason: 'passthrough' };
    }
  }
  const reason = address.kind === 'service-agent' ? 'forced' : 'default_provider';
  return { provider: defaultProvider, model: fullModel, taskType, reason };
};

const chooseLocal = (
  { model }: Address,
  { local, isLocalModel }: RouteSettings,
): NonNullable<RouteSettings['local']> => {
  if (local && isLocalModel) return { ...local, model };
  if (local) return local;
  throw new ServiceError(
    'LOCAL_RUNTIME_UNAVAILABLE',
    'This address keeps the call on the machine, and no local runtime is configured: set ' +
      'LOCAL_BASE_URL (for example to an Ollama or llama.cpp server).',
  );
};
