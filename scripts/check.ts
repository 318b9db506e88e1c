// npm run check: what can be said about the sources without running them.
import { runChecks } from './testing/checks.ts';

process.exitCode = (await runChecks()) ? 0 : 1;
