import { describe, expect, it } from '@jest/globals';
import { wrapKubernetes, wrapWithVersions } from './wrap-module.ts';

const GO_MOD = `module k8s.io/kubernetes

go 1.25.0

godebug default=go1.25

require (
	github.com/blang/semver/v4 v4.0.0
	k8s.io/api v0.0.0
)

require (
	go.uber.org/zap v1.27.0 // indirect
	k8s.io/apimachinery v0.0.0 // indirect
	k8s.io/klog/v2 v2.130.1
)

replace (
	k8s.io/api => ./staging/src/k8s.io/api
	k8s.io/apimachinery => ./staging/src/k8s.io/apimachinery
)
`;

const WRAPPED = `module cluster

go 1.25.0
godebug default=go1.25

require k8s.io/kubernetes v1.35.4

require (
	github.com/blang/semver/v4 v4.0.0
	k8s.io/api v0.35.4
)

require (
	go.uber.org/zap v1.27.0 // indirect
	k8s.io/apimachinery v0.35.4
	k8s.io/klog/v2 v2.130.1
)

replace (
	k8s.io/api => k8s.io/api v0.35.4
	k8s.io/apimachinery => k8s.io/apimachinery v0.35.4
)
`;

describe('wrapKubernetes', () => {
  it('gives staging modules their published version and retains all other versions', () => {
    expect(wrapKubernetes(GO_MOD, 'v1.35.4')).toBe(WRAPPED);
  });

  it('gives a program of another module the same versions', () => {
    expect(wrapWithVersions(WRAPPED, 'github.com/coredns/coredns v1.13.1')).toBe(
      WRAPPED.replace('k8s.io/kubernetes v1.35.4', 'github.com/coredns/coredns v1.13.1'),
    );
  });
});
