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

const again = postOf('one', { attemptId: 'another' });

const BAD: readonly (readonly [string, Partial<WebhookRecord>, string])[] = [
  ['a fact that never came', { committed: ['one', 'two', 'three'] }, 'three was lost'],
  [
    'a fact that came as two deliveries',
    {
      posts: [...GOOD.posts, postOf('one', { deliveryId: 'dlv x', attemptId: 'x' })],
      log: [...GOOD.log, rowOf('x')],
      crashes: 1,
    },
    'one came as 2 deliveries',
  ],
  ['a POST too many', { posts: [...GOOD.posts, again] }, 'one was posted 2 times in 0 crashes'],
  [
    'a bad signature',
    { posts: [postOf('one'), postOf('two', { isSigned: false })] },
    'two was not signed',
  ],
  [
    'an attempt id that was used twice',
    { posts: [...GOOD.posts, postOf('one')], crashes: 1 },
    'two attempts had one X-Service-Delivery',
  ],
  [
    'a row that stands twice',
    { log: [...GOOD.log, rowOf('one')] },
    'a delivery stands twice in the log',
  ],
  ['a POST without a row', { log: [rowOf('one')] }, 'dlv two was posted and is not in the log'],
  [
    'a row without a POST',
    { log: [...GOOD.log, rowOf('three')] },
    'dlv three is in the log and was never posted',
  ],
  [
    'a delivery that waits',
    { log: [rowOf('one'), rowOf('two', { state: 'pending' })] },
    'ended as',
  ],
  [
    'a crash that spent an attempt',
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
      posts: [...GOOD.posts, again, postOf('three')],
      log: [...GOOD.log, rowOf('three')],
      crashes: 1,
    };
    expect(findDeliveryViolations(record)).toEqual({
      violations: [],
      counts: { committed: 2, posts: 4, repeated: 1, uncommitted: 1 },
    });
  });

  it.each(BAD)('finds %s', (_name, change, message) => {
    const { violations } = findDeliveryViolations({ ...GOOD, ...change });
    expect(violations).toEqual([expect.stringContaining(message)]);
  });
});
