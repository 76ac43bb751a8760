import type { TestSystem } from '@witan/testing';

const MODELS = ['service-auto', 'gpt-4o-mini', 'claude-sonnet-5-5', 'service-agent'];
const IN_FLIGHT = 16;

/** Makes this many calls with the offline provider, each of which leaves a certificate. */
export const addCertificates = async (
  { baseUrl, apiKey }: Pick<TestSystem, 'baseUrl' | 'apiKey'>,
  count: number,
): Promise<void> => {
  const numbers = Array.from({ length: count }, (_, number) => number).values();
  const callRest = async (): Promise<void> => {
    for (const number of numbers) {
      const model = MODELS[number % MODELS.length];
      const messages = [{ role: 'user', content: `Question ${number}: is it settled?` }];
      const response = await fetch(`${baseUrl}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model, messages }),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`A call was answered with ${response.status}: ${text}`);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, callRest));
};
