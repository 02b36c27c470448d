//! Slurm as a resource manager: what it says of nodes, reservations and jobs is read by slurmrestd, and
//! what is wanted of it is done by slurmrestd or by `scontrol`, whichever its version can.
