// npm run check: static checks of the sources.
import { runChecks } from './testing/checks.ts';

process.exitCode = (await runChecks()) ? 0 : 1;
