import type { SystemFile } from '@witan/stack';
import { openClient } from '../client.ts';
import type { Client, ClientOf } from '../client.ts';
import type { FaultSystem } from '../open-running-system.ts';
import type { Random } from '@witan/testing/create-random';
import type { Emitter } from './open-emitter.ts';
import type { Receivers, ResponseMode } from './open-receivers.ts';

/** State that the rounds of this part share. */
export type EventBench = {
  home: string;
  random: Random;
  system: FaultSystem & SystemFile;
  emitter: Emitter;
  receivers: Receivers;
};

export type Hook = { id: string; path: string; remove: () => Promise<void> };

/**
 * Creates a webhook for the emitted events. Its receiver responds at `path` according to `mode`.
 */
export const createHook = async (
  { receivers }: Pick<EventBench, 'receivers'>,
  workspace: ClientOf,
  { path, mode }: { path: string; mode: ResponseMode },
): Promise<Hook> => {
  const client: Client = openClient(workspace);
  receivers.setMode(path, mode);
  const body = { url: receivers.urlOf(path), events: ['simulation.tick.completed'] };
  type CreatedWebhook = { webhook: { id: string; secret: string } };
  const { webhook } = await client.read<CreatedWebhook>('POST', '/webhooks', body);
  receivers.setSecret(path, webhook.secret);
  const remove = (): Promise<void> => client.read('DELETE', `/webhooks/${webhook.id}`);
  return { id: webhook.id, path, remove };
};
