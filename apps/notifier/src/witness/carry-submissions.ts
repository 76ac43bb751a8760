/** A request of the ledger to a witness of its transparency log. */
export type WitnessRequest = { witness: string; url: string; body: string };

/** The response of a witness; status 0 if there was none. */
export type WitnessAnswer = { witness: string; status: number; body: string };

export type Submissions = {
  /** Resolves with the requests to send, none if there is nothing to cosign. */
  next: () => Promise<{ size: bigint; requests: readonly WitnessRequest[] }>;
  /** Resolves with true if the next submission may be sent at once. */
  take: (size: bigint, answers: readonly WitnessAnswer[]) => Promise<boolean>;
};

export type PostToWitness = (request: WitnessRequest) => Promise<WitnessAnswer>;

/** A witness that named its size is asked again at once, but not without end. */
const ROUNDS_MAX = 3;

/**
 * Carries the requests of the ledger to the witnesses, all at once, and their responses back. The
 * ledger judges them. Several replicas may do this at the same time: a witness cosigns the same
 * size again, or names the size that it has. If a request throws, the responses of the others are
 * brought first.
 */
export const carrySubmissions = async (
  { next, take }: Submissions,
  post: PostToWitness,
): Promise<void> => {
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const { size, requests } = await next();
    if (requests.length === 0) return;
    const posted = await Promise.allSettled(requests.map(post));
    const answers = posted.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const isAgain = await take(size, answers);
    const failed = posted.find((one) => one.status === 'rejected');
    if (failed) throw failed.reason;
    if (!isAgain) return;
  }
};
