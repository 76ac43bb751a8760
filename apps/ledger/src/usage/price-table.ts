/**
 * Price of a model in picodollars (10^-12 US dollars) per token, as integers: 1 US dollar per
 * million tokens is 1,000,000. `model` is a name in which `*` stands for any text.
 */
export type Price = {
  provider: string;
  model: string;
  input: number;
  /** Of prompt tokens read from the provider's cache; default: `input`. */
  cachedInput?: number;
  /** Of prompt tokens written to the provider's cache; default: `input`. */
  cacheWrite?: number;
  output: number;
};

export type PriceTable = { date: string; prices: readonly Price[] };

/**
 * List prices of the standard tier on the date of the table. Sources: the price pages of OpenAI
 * (platform.openai.com/docs/pricing) and Anthropic (claude.com/pricing), as collected on that date
 * in `model_prices_and_context_window.json` of github.com/BerriAI/litellm. Higher prices of very
 * long prompts and of caches of one hour, and discounts, are not included. The first match counts.
 * Local models and the offline provider have no price here: only their operator knows it.
 */
export const PRICE_TABLE: PriceTable = {
  date: '2026-07-24',
  prices: [
    {
      provider: 'openai',
      model: 'gpt-5.2',
      input: 1_750_000,
      cachedInput: 175_000,
      output: 14_000_000,
    },
    {
      provider: 'openai',
      model: 'gpt-5.2-2025-*',
      input: 1_750_000,
      cachedInput: 175_000,
      output: 14_000_000,
    },
    {
      provider: 'openai',
      model: 'gpt-5.2-chat-latest',
      input: 1_750_000,
      cachedInput: 175_000,
      output: 14_000_000,
    },
    {
      provider: 'openai',
      model: 'gpt-5.1',
      input: 1_250_000,
      cachedInput: 125_000,
      output: 10_000_000,
    },
    {
      provider: 'openai',
      model: 'gpt-5.1-2025-*',
      input: 1_250_000,
      cachedInput: 125_000,
      output: 10_000_000,
    },
    {
      provider: 'openai',
      model: 'gpt-5.1-chat-latest',
      input: 1_250_000,
      cachedInput: 125_000,
      output: 10_000_000,
    },
    {
      provider: 'openai',
      model: 'gpt-5',
      input: 1_250_000,
      cachedInput: 125_000,
      output: 10_000_000,
    },
    {
      provider: 'openai',
      model: 'gpt-5-2025-*',
      input: 1_250_000,
      cachedInput: 125_000,
      output: 10_000_000,
    },
    {
      provider: 'openai',
      model: 'gpt-5-chat-latest',
      input: 1_250_000,
      cachedInput: 125_000,
      output: 10_000_000,
    },
    {
      provider: 'openai',
      model: 'gpt-5-mini',
      input: 250_000,
      cachedInput: 25_000,
      output: 2_000_000,
    },
    {
      provider: 'openai',
      model: 'gpt-5-mini-2025-*',
      input: 250_000,
      cachedInput: 25_000,
      output: 2_000_000,
    },
    { provider: 'openai', model: 'gpt-5-nano', input: 50_000, cachedInput: 5_000, output: 400_000 },
    {
      provider: 'openai',
      model: 'gpt-5-nano-2025-*',
      input: 50_000,
      cachedInput: 5_000,
      output: 400_000,
    },
    {
      provider: 'openai',
      model: 'gpt-5.4-mini',
      input: 750_000,
      cachedInput: 75_000,
      output: 4_500_000,
    },
    {
      provider: 'openai',
      model: 'gpt-5.4-mini-2026-*',
      input: 750_000,
      cachedInput: 75_000,
      output: 4_500_000,
    },
    {
      provider: 'openai',
      model: 'gpt-5.4-nano',
      input: 200_000,
      cachedInput: 20_000,
      output: 1_250_000,
    },
    {
      provider: 'openai',
      model: 'gpt-5.4-nano-2026-*',
      input: 200_000,
      cachedInput: 20_000,
      output: 1_250_000,
    },
    {
      provider: 'openai',
      model: 'gpt-4.1',
      input: 2_000_000,
      cachedInput: 500_000,
      output: 8_000_000,
    },
    {
      provider: 'openai',
      model: 'gpt-4.1-2025-*',
      input: 2_000_000,
      cachedInput: 500_000,
      output: 8_000_000,
    },
    {
      provider: 'openai',
      model: 'gpt-4.1-mini',
      input: 400_000,
      cachedInput: 100_000,
      output: 1_600_000,
    },
    {
      provider: 'openai',
      model: 'gpt-4.1-mini-2025-*',
      input: 400_000,
      cachedInput: 100_000,
      output: 1_600_000,
    },
    {
      provider: 'openai',
      model: 'gpt-4.1-nano',
      input: 100_000,
      cachedInput: 25_000,
      output: 400_000,
    },
    {
      provider: 'openai',
      model: 'gpt-4.1-nano-2025-*',
      input: 100_000,
      cachedInput: 25_000,
      output: 400_000,
    },
    {
      provider: 'openai',
      model: 'gpt-4o',
      input: 2_500_000,
      cachedInput: 1_250_000,
      output: 10_000_000,
    },
    {
      provider: 'openai',
      model: 'gpt-4o-2024-08-06',
      input: 2_500_000,
      cachedInput: 1_250_000,
      output: 10_000_000,
    },
    {
      provider: 'openai',
      model: 'gpt-4o-2024-11-20',
      input: 2_500_000,
      cachedInput: 1_250_000,
      output: 10_000_000,
    },
    {
      provider: 'openai',
      model: 'gpt-4o-mini',
      input: 150_000,
      cachedInput: 75_000,
      output: 600_000,
    },
    {
      provider: 'openai',
      model: 'gpt-4o-mini-2024-*',
      input: 150_000,
      cachedInput: 75_000,
      output: 600_000,
    },
    { provider: 'openai', model: 'o3', input: 2_000_000, cachedInput: 500_000, output: 8_000_000 },
    {
      provider: 'openai',
      model: 'o3-2025-*',
      input: 2_000_000,
      cachedInput: 500_000,
      output: 8_000_000,
    },
    {
      provider: 'openai',
      model: 'o4-mini',
      input: 1_100_000,
      cachedInput: 275_000,
      output: 4_400_000,
    },
    {
      provider: 'openai',
      model: 'o4-mini-2025-*',
      input: 1_100_000,
      cachedInput: 275_000,
      output: 4_400_000,
    },
    {
      provider: 'openai',
      model: 'o3-mini',
      input: 1_100_000,
      cachedInput: 550_000,
      output: 4_400_000,
    },
    {
      provider: 'openai',
      model: 'o3-mini-2025-*',
      input: 1_100_000,
      cachedInput: 550_000,
      output: 4_400_000,
    },
    {
      provider: 'anthropic',
      model: 'claude-opus-4-8*',
      input: 5_000_000,
      cachedInput: 500_000,
      cacheWrite: 6_250_000,
      output: 25_000_000,
    },
    {
      provider: 'anthropic',
      model: 'claude-opus-4-7*',
      input: 5_000_000,
      cachedInput: 500_000,
      cacheWrite: 6_250_000,
      output: 25_000_000,
    },
    {
      provider: 'anthropic',
      model: 'claude-opus-4-6*',
      input: 5_000_000,
      cachedInput: 500_000,
      cacheWrite: 6_250_000,
      output: 25_000_000,
    },
    {
      provider: 'anthropic',
      model: 'claude-opus-4-5*',
      input: 5_000_000,
      cachedInput: 500_000,
      cacheWrite: 6_250_000,
      output: 25_000_000,
    },
    {
      provider: 'anthropic',
      model: 'claude-opus-4-1*',
      input: 15_000_000,
      cachedInput: 1_500_000,
      cacheWrite: 18_750_000,
      output: 75_000_000,
    },
    {
      provider: 'anthropic',
      model: 'claude-opus-4-2025*',
      input: 15_000_000,
      cachedInput: 1_500_000,
      cacheWrite: 18_750_000,
      output: 75_000_000,
    },
    {
      provider: 'anthropic',
      model: 'claude-sonnet-4-6*',
      input: 3_000_000,
      cachedInput: 300_000,
      cacheWrite: 3_750_000,
      output: 15_000_000,
    },
    {
      provider: 'anthropic',
      model: 'claude-sonnet-4-5*',
      input: 3_000_000,
      cachedInput: 300_000,
      cacheWrite: 3_750_000,
      output: 15_000_000,
    },
    {
      provider: 'anthropic',
      model: 'claude-sonnet-4-2025*',
      input: 3_000_000,
      cachedInput: 300_000,
      cacheWrite: 3_750_000,
      output: 15_000_000,
    },
    {
      provider: 'anthropic',
      model: 'claude-haiku-4-5*',
      input: 1_000_000,
      cachedInput: 100_000,
      cacheWrite: 1_250_000,
      output: 5_000_000,
    },
    {
      provider: 'anthropic',
      model: 'claude-3-7-sonnet-*',
      input: 3_000_000,
      cachedInput: 300_000,
      cacheWrite: 3_750_000,
      output: 15_000_000,
    },
  ],
};
