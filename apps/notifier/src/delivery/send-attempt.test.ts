import { describe, expect, it } from '@jest/globals';
import { encodeSecret } from '../webhook/webhook.ts';
import { signAttempt } from './send-attempt.ts';

/** Secret of the example in the Standard Webhooks specification. */
const STANDARD_SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

const attempt = {
  event: 'webhook.test',
  deliveryId: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  attemptId: '0b1b6f6e-5f3c-4b43-9d5c-111111111111',
  body: '{"test": 2432232314}',
  secrets: [STANDARD_SECRET],
  now: new Date(1_614_265_330_999),
};

describe('signAttempt', () => {
  it('returns our own headers and those of Standard Webhooks', () => {
    expect(signAttempt(attempt)).toEqual({
      'X-Service-Event': 'webhook.test',
      'X-Service-Signature':
        'sha256=80ec8a89ce3cd22133a1066caecb4d04fea7467657c8514d717ec42c38a5c94c',
      'X-Service-Delivery': '0b1b6f6e-5f3c-4b43-9d5c-111111111111',
      'User-Agent': 'Service-Webhooks/1.0',
      'Content-Type': 'application/json',
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  it('adds the signature of the previous secret to webhook-signature only', () => {
    const next = encodeSecret(Buffer.alloc(32, 7));
    const signedWithOneSecret = signAttempt({ ...attempt, secrets: [next] });
    const both = signAttempt({ ...attempt, secrets: [next, STANDARD_SECRET] });
    expect(both['X-Service-Signature']).toBe(signedWithOneSecret['X-Service-Signature']);
    expect(both['webhook-signature']).toBe(
      `${signedWithOneSecret['webhook-signature']} ${signAttempt(attempt)['webhook-signature']}`,
    );
  });

  it('signs the UTF-8 bytes', () => {
    const signedUnicode = signAttempt({ ...attempt, body: '{"a":"Grüße"}' });
    const decomposed = signAttempt({ ...attempt, body: '{"a":"Gru\u0308\u00dfe"}' });
    expect(signedUnicode['X-Service-Signature']).not.toBe(decomposed['X-Service-Signature']);
  });
});
