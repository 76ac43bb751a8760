import { z } from 'zod';
import type { TestTool } from './test-client.ts';

export const WEATHER = z.object({ city: z.string(), degrees: z.number() });

export const OSLO = { city: 'Oslo', degrees: -3.5 };

const parameters = {
  type: 'object',
  properties: { city: { type: 'string', description: 'Name of the city' } },
  required: ['city'],
  additionalProperties: false,
};

export const TOOLS: readonly TestTool[] = [
  { name: 'get_weather', description: 'The weather of a city', parameters },
  { name: 'get_time', description: 'The local time of a city', parameters },
];
