import { callGraph } from '@witan/contracts/call-graph';
import { runProcess } from '@witan/service-kit';
import { sessions } from '@witan/service-kit/sessions';
import { loadConfig } from './config.ts';
import { createService } from './service.ts';

await runProcess({
  name: 'notifier',
  loadConfig,
  create: createService,
  callGraph,
  link: sessions,
});
