import { z } from 'zod';
import type { TestTool } from './test-client.ts';

export const WEATHER_SCHEMA = z.object({ city: z.string(), degrees: z.number() });

export const OSLO_WEATHER = { city: 'Oslo', degrees: -3.5 };

const cityParameters = {
  type: 'object',
  properties: { city: { type: 'string', description: 'Name of the city' } },
  required: ['city'],
  additionalProperties: false,
};

export const TOOLS: readonly TestTool[] = [
  { name: 'get_weather', description: 'The weather of a city', parameters: cityParameters },
  { name: 'get_time', description: 'The local time of a city', parameters: cityParameters },
];
