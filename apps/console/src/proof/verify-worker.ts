import { answerTasks } from '../app/run-in-worker.ts';
import { checkCall } from './check-call.ts';

answerTasks(checkCall);
