import { describe, expect, it } from '@jest/globals';
import { findDeliveryViolations } from './find-delivery-violations.ts';
import type { WebhookRecord } from './find-delivery-violations.ts';
import type { Post } from './open-receivers.ts';
import type { LogRow } from './read-log.ts';

const postOf = (name: string, change: Partial<Post> = {}): Post => ({
  name,
  deliveryId: `dlv ${name}`,
  attemptId: `attempt of ${name}`,
  isSigned: true,
  arrivedAt: 1,
  answeredAt: 2,
  ...change,
});

const rowOf = (name: string, change: Partial<LogRow> = {}): LogRow => ({
  id: `dlv ${name}`,
  webhookId: 'whk',
  state: 'delivered',
  attempts: 1,
  statusCode: 200,
  ...change,
});

const GOOD: WebhookRecord = {
  title: '/a',
  committed: ['one', 'two'],
  posts: [postOf('one'), postOf('two')],
  log: [rowOf('one'), rowOf('two')],
  crashes: 0,
};

const repeatedPost = postOf('one', { attemptId: 'another' });

const VIOLATION_CASES: readonly (readonly [string, Partial<WebhookRecord>, string])[] = [
  ['an event that was not delivered', { committed: ['one', 'two', 'three'] }, 'three was lost'],
  [
    'an event with two deliveries',
    {
      posts: [...GOOD.posts, postOf('one', { deliveryId: 'dlv x', attemptId: 'x' })],
      log: [...GOOD.log, rowOf('x')],
      crashes: 1,
    },
    'one has 2 deliveries',
  ],
  [
    'a superfluous POST',
    { posts: [...GOOD.posts, repeatedPost] },
    'one was posted 2 times in 0 crashes',
  ],
  [
    'an invalid signature',
    { posts: [postOf('one'), postOf('two', { isSigned: false })] },
    'two was not signed',
  ],
  [
    'an attempt id that was used twice',
    { posts: [...GOOD.posts, postOf('one')], crashes: 1 },
    'two attempts had the same X-Service-Delivery',
  ],
  [
    'a duplicate row of the log',
    { log: [...GOOD.log, rowOf('one')] },
    'a delivery is in the log twice',
  ],
  [
    'a POST without a row in the log',
    { log: [rowOf('one')] },
    'dlv two was posted but is not in the log',
  ],
  [
    'a row of the log without a POST',
    { log: [...GOOD.log, rowOf('three')] },
    'dlv three is in the log but was not posted',
  ],
  [
    'a delivery that is still pending',
    { log: [rowOf('one'), rowOf('two', { state: 'pending' })] },
    'ended as',
  ],
  [
    'a crash that used an attempt',
    { log: [rowOf('one'), rowOf('two', { attempts: 2 })], crashes: 1 },
    'ended as',
  ],
];

describe('findDeliveryViolations', () => {
  it('finds nothing if every event was delivered once', () => {
    expect(findDeliveryViolations(GOOD)).toEqual({
      violations: [],
      counts: { committed: 2, posts: 2, repeated: 0, uncommitted: 0 },
    });
  });

  it('allows one extra POST per crash, and events without an acknowledged commit', () => {
    const record = {
      ...GOOD,
      posts: [...GOOD.posts, repeatedPost, postOf('three')],
      log: [...GOOD.log, rowOf('three')],
      crashes: 1,
    };
    expect(findDeliveryViolations(record)).toEqual({
      violations: [],
      counts: { committed: 2, posts: 4, repeated: 1, uncommitted: 1 },
    });
  });

  it.each(VIOLATION_CASES)('finds %s', (_name, change, message) => {
    const { violations } = findDeliveryViolations({ ...GOOD, ...change });
    expect(violations).toEqual([expect.stringContaining(message)]);
  });
});
