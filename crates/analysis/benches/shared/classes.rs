//! Classes to analyse: nineteen of the JDK, with and without locks, of the size of DepCon+'s subjects, whose largest has 218 public
//! methods; and one that is larger.

pub const CLASSES: [&str; 20] = [
    "java.util.Vector",
    "java.util.Hashtable",
    "java.lang.StringBuffer",
    "java.util.Collections$SynchronizedMap",
    "java.util.Collections$SynchronizedList",
    "java.util.Stack",
    "java.util.HashMap",
    "java.util.TreeMap",
    "java.util.LinkedList",
    "java.util.ArrayList",
    "java.util.concurrent.LinkedBlockingQueue",
    "java.util.concurrent.ConcurrentHashMap",
    "java.util.concurrent.CopyOnWriteArrayList",
    "java.util.Arrays",
    "java.util.Timer",
    "java.io.BufferedInputStream",
    "java.io.PipedInputStream",
    "java.util.Properties",
    "java.util.logging.Logger",
    "javax.swing.JTable",
];
