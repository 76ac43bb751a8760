import { unavailable } from '@witan/contracts';

/** Position in the order of a workspace's events; the ids of transactions are 64-bit integers. */
export type Position = { tx: string; seq: string };

/** An event as webhooks receive it; `body` is its JSON text, with an empty webhook id. */
export type RecentEvent = { id: string; body: string; position: Position };

export type RecentEvents = {
  /**
   * Returns the position of an event; the end, if `eventId` is empty; the beginning, if the event
   * is not stored.
   */
  findPosition: (workspaceId: string, eventId: string) => Promise<Position>;
  /** Returns the events after a position, in order, except those that others may still precede. */
  readAfter: (workspaceId: string, position: Position, limit: number) => Promise<RecentEvent[]>;
};

type WakeSignal = { notify: () => void; wait: (timeoutMs: number) => Promise<void> };

export type Followers = { add: (wake: () => void) => () => void; wake: () => void };

/** Creates a registry of the followers in this process; `wake` wakes all of them. */
export const createFollowers = (): Followers => {
  const wakes = new Set<() => void>();
  return {
    add: (wake) => {
      wakes.add(wake);
      return () => void wakes.delete(wake);
    },
    wake: () => wakes.forEach((wake) => wake()),
  };
};

export type FollowDeps = {
  events: RecentEvents;
  followers: Followers;
  createWakeSignal: () => WakeSignal;
};

const PAGE_MAX = 100;
/**
 * Maximum time between two reads. A notification wakes a follower at once, but an event that came
 * during another transaction becomes readable only when that has ended, without a notification.
 */
const POLL_MS = 500;

type Signals = { signal: AbortSignal; stopping: AbortSignal };

/**
 * Yields its position once that is fixed, then the events of a workspace after it as they come,
 * until `signal` aborts. Throws UNAVAILABLE when the process stops.
 */
export async function* followEvents(
  { workspaceId, after }: { workspaceId: string; after: Position | { eventId: string } },
  { signal, stopping }: Signals,
  { events, followers, createWakeSignal }: FollowDeps,
): AsyncGenerator<RecentEvent | { position: Position }> {
  const wakeSignal = createWakeSignal();
  const { notify } = wakeSignal;
  const remove = followers.add(notify);
  for (const one of [signal, stopping]) one.addEventListener('abort', notify);
  try {
    let position =
      'eventId' in after ? await events.findPosition(workspaceId, after.eventId) : after;
    yield { position };
    while (!signal.aborted) {
      if (stopping.aborted) throw unavailable('The service stops; ask another replica.');
      const page = await events.readAfter(workspaceId, position, PAGE_MAX);
      yield* page;
      position = page.at(-1)?.position ?? position;
      if (page.length < PAGE_MAX) await wakeSignal.wait(POLL_MS);
    }
  } finally {
    for (const one of [signal, stopping]) one.removeEventListener('abort', notify);
    remove();
  }
}
