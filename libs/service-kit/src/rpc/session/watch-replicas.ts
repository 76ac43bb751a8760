import type { Place } from './find-replicas.ts';

/** When a replica is lost or none is found, they are looked up again after this. */
const LOOK_AGAIN_MS = 1_000;

/** Keeps knowing where the replicas of a service are. */
export type ReplicaWatch = {
  look: () => void;
  /** Looks up within LOOK_AGAIN_MS, however often it is asked. */
  lookSoon: () => void;
  /** Why the last lookup failed, if it did. */
  failure: () => unknown;
  close: () => void;
};

/** Tells `onFound` what each lookup finds. One that fails is repeated and takes nothing away. */
export const watchReplicas = (
  find: () => Promise<readonly Place[]>,
  onFound: (places: readonly Place[]) => void,
): ReplicaWatch => {
  let isLooking = false;
  let isClosed = false;
  let failure: unknown;
  let timer: NodeJS.Timeout | undefined;

  const lookSoon = (): void => {
    if (isClosed) return;
    timer ??= setTimeout(look, LOOK_AGAIN_MS).unref();
  };
  const look = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (isLooking) return;
    isLooking = true;
    void lookUp().finally(() => {
      isLooking = false;
    });
  };
  const lookUp = async (): Promise<void> => {
    try {
      const places = await find();
      failure = undefined;
      if (!isClosed) onFound(places);
    } catch (error) {
      failure = error;
      lookSoon();
    }
  };
  return {
    look,
    lookSoon,
    failure: () => failure,
    close: () => {
      isClosed = true;
      clearTimeout(timer);
    },
  };
};
