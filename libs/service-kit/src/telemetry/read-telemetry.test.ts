import { describe, expect, it } from '@jest/globals';
import { ConfigError, readEnv } from '../config/read-env.ts';
import type { Env } from '../config/read-env.ts';
import { readTelemetry } from './read-telemetry.ts';

const COLLECTOR = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otel-collector:4318' };

const read = (env: Env) => readEnv('a service', env, (from) => ({ it: readTelemetry(from) })).it;

const errorsOf = (env: Env): readonly string[] => {
  try {
    read(env);
    return [];
  } catch (error) {
    return error instanceof ConfigError ? error.errors : [String(error)];
  }
};

describe('readTelemetry', () => {
  it.each([
    ['no collector is configured', {}],
    ['the exporter is none', { ...COLLECTOR, OTEL_TRACES_EXPORTER: 'none' }],
    ['the SDK is disabled', { ...COLLECTOR, OTEL_SDK_DISABLED: 'true' }],
  ])('returns undefined if %s', (_name, env) => {
    expect(read(env)).toBeUndefined();
  });

  it.each([
    ['the general endpoint', COLLECTOR, 'http://otel-collector:4318/v1/traces'],
    [
      'the general endpoint with a path',
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example/otlp/' },
      'https://collector.example/otlp/v1/traces',
    ],
    [
      'the endpoint of traces, unchanged',
      { ...COLLECTOR, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces.example/in' },
      'https://traces.example/in',
    ],
  ])('uses %s', (_name, env, tracesUrl) => {
    expect(read(env)?.tracesUrl).toBe(tracesUrl);
  });

  it('applies the defaults of the specification', () => {
    expect(read(COLLECTOR)).toEqual({
      tracesUrl: 'http://otel-collector:4318/v1/traces',
      sampler: 'parentbased_always_on',
      sampleRatio: 1,
      serviceName: undefined,
      resource: {},
      batchDelayMs: 5_000,
      queueMax: 2_048,
      batchMax: 512,
    });
  });

  it('reads sampler, ratio, names and batch sizes', () => {
    const env = {
      ...COLLECTOR,
      OTEL_TRACES_SAMPLER: 'traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
      OTEL_SERVICE_NAME: 'council',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=prod, team=a%2Cb',
      OTEL_BSP_SCHEDULE_DELAY: '100',
      OTEL_BSP_MAX_QUEUE_SIZE: '64',
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '32',
    };
    expect(read(env)).toMatchObject({
      sampler: 'traceidratio',
      sampleRatio: 0.25,
      serviceName: 'council',
      resource: { 'deployment.environment.name': 'prod', team: 'a,b' },
      batchDelayMs: 100,
      queueMax: 64,
      batchMax: 32,
    });
  });

  it.each([
    ['a collector that is not a URL', { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }],
    ['an unsupported protocol', { ...COLLECTOR, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }],
    ['an unknown sampler', { ...COLLECTOR, OTEL_TRACES_SAMPLER: 'some' }],
    ['a ratio above 1', { ...COLLECTOR, OTEL_TRACES_SAMPLER_ARG: '5' }],
    ['a ratio that is not a number', { ...COLLECTOR, OTEL_TRACES_SAMPLER_ARG: 'half' }],
    ['attributes that are not pairs', { ...COLLECTOR, OTEL_RESOURCE_ATTRIBUTES: 'team' }],
    ['attributes with a stray percent sign', { ...COLLECTOR, OTEL_RESOURCE_ATTRIBUTES: 'a=%x' }],
  ])('rejects %s', (_name, env) => {
    expect(errorsOf(env)).toEqual([expect.stringMatching(/^OTEL_/)]);
  });
});
