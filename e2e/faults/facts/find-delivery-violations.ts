import type { Post } from './open-receivers.ts';
import type { LogRow } from './read-log.ts';

export type WebhookRecord = {
  title: string;
  /** Names of the events whose commit was acknowledged. */
  committed: readonly string[];
  posts: readonly Post[];
  log: readonly LogRow[];
  /** Number of crashes; each may cause one extra POST of a delivery in flight. */
  crashes: number;
};

export type DeliveryCounts = {
  committed: number;
  posts: number;
  /** Number of POSTs of a delivery after its first one, over all deliveries. */
  repeated: number;
  /**
   * Number of events that were delivered without an acknowledged commit, because the emitter was
   * killed before it could acknowledge.
   */
  uncommitted: number;
};

/**
 * Checks the deliveries to an endpoint that always responded with 200. Returns counts, and
 * violations: a lost event, an event with several deliveries or with more than one extra POST per
 * crash, an unsigned POST, a repeated attempt id, and a delivery log that does not match the POSTs.
 */
export const findDeliveryViolations = ({
  title,
  committed,
  posts,
  log,
  crashes,
}: WebhookRecord): { violations: string[]; counts: DeliveryCounts } => {
  const violations: string[] = [];
  const addViolation = (message: string): void => void violations.push(`${title}: ${message}`);
  const byName = Map.groupBy(posts, ({ name }) => name);
  for (const name of committed) if (!byName.has(name)) addViolation(`${name} was lost`);
  for (const [name, group] of byName) {
    const deliveries = new Set(group.map(({ deliveryId }) => deliveryId));
    if (deliveries.size > 1) addViolation(`${name} has ${deliveries.size} deliveries`);
    if (group.length > 1 + crashes) {
      addViolation(`${name} was posted ${group.length} times in ${crashes} crashes`);
    }
  }
  for (const { name, isSigned } of posts) if (!isSigned) addViolation(`${name} was not signed`);
  if (new Set(posts.map(({ attemptId }) => attemptId)).size !== posts.length) {
    addViolation('two attempts had the same X-Service-Delivery');
  }
  const posted = new Set(posts.map(({ deliveryId }) => deliveryId));
  const logged = new Set(log.map(({ id }) => id));
  if (logged.size !== log.length) addViolation('a delivery is in the log twice');
  for (const id of posted)
    if (!logged.has(id)) addViolation(`${id} was posted but is not in the log`);
  for (const row of log) {
    if (!posted.has(row.id)) addViolation(`${row.id} is in the log but was not posted`);
    // An attempt that a crash interrupts is repeated without counting as one of the three attempts.
    if (row.state !== 'delivered' || row.statusCode !== 200 || row.attempts !== 1) {
      addViolation(`${row.id} ended as ${JSON.stringify(row)}`);
    }
  }
  const committedNames = new Set(committed);
  return {
    violations,
    counts: {
      committed: committed.length,
      posts: posts.length,
      repeated: posts.length - posted.size,
      uncommitted: [...byName.keys()].filter((name) => !committedNames.has(name)).length,
    },
  };
};
