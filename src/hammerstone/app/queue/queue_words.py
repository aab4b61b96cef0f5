"""The numbers of the queue, in words for the people who change them."""

QUEUE_FIELDS = {
    "at_once": "How many requests one process answers at the same time.",
    "at_once_per_person": "How many of them may be one person's.",
    "longest_wait_s": "Seconds that a request waits for its turn before it is told to come again.",
    "waiting": "How many requests may wait; more are told to come again.",
    "waiting_per_person": "How many of them may be one person's.",
    "held": "How many requests all workers together answer at the same time; 0 is no limit.",
    "held_per_person": "How many of them may be one person's.",
    "held_per_model": "How many of them may ask for the same model; 0 is no limit.",
    "proofs_held": "How many proofs all processes together do at the same time; 0 is no limit.",
    "look_every_s": "Seconds between two looks for work while there is none.",
    "sign_every_s": "Seconds between two signs of life of a worker.",
    "grace_s": "Seconds that a worker which is told to end may take to finish its work.",
    "keep_workers_s": "Seconds that a worker is still listed after its last sign of life.",
}
