import { simulated } from './simulated.ts';

simulated('slow');
