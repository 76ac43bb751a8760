import { z } from 'zod';
import type { TestTool } from './test-client.ts';

/** The shape that structured answers are asked for in. */
export const WEATHER = z.object({ city: z.string(), degrees: z.number() });

/** An answer of that shape. */
export const OSLO = { city: 'Oslo', degrees: -3.5 };

const parameters = {
  type: 'object',
  properties: { city: { type: 'string', description: 'Name of the city' } },
  required: ['city'],
  additionalProperties: false,
};

/** Two tools that one answer may call together. */
export const TOOLS: readonly TestTool[] = [
  { name: 'get_weather', description: 'The weather of a city', parameters },
  { name: 'get_time', description: 'The local time of a city', parameters },
];
