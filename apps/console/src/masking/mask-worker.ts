import { answerTasks } from '../app/run-in-worker.ts';
import { maskText } from './mask-text.ts';

answerTasks(maskText);
